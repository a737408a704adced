#include "replica/http/multipart.h"

#include <catch2/catch.hpp>

using namespace quadrille;

namespace {

const std::string two_files =
    "--xyz\r\n"
    "Content-Disposition: form-data; name=\"file\"; filename=\"a \\\"b\\\".nt\"\r\n"
    "Content-Type: application/n-triples\r\n"
    "\r\n"
    "first\r\n--xy\r\n"
    "\r\n--xyz\r\n"
    "content-disposition: form-data; filename=plain.ttl.gz; name=file\r\n"
    "content-encoding: gzip\r\n"
    "\r\n"
    "\r\n--xyz--\r\n";

}  // namespace

TEST_CASE("each part of a form is a file with its name, type and bytes") {
  const auto parts = http::parse_multipart(two_files, "xyz");
  REQUIRE(parts.ok());
  REQUIRE(parts->size() == 2);
  CHECK((*parts)[0].file_name == "a \"b\".nt");
  CHECK((*parts)[0].content_type == "application/n-triples");
  CHECK((*parts)[0].content == "first\r\n--xy\r\n");
  CHECK((*parts)[1].file_name == "plain.ttl.gz");
  CHECK((*parts)[1].content_encoding == "gzip");
  CHECK((*parts)[1].content.empty());
}

TEST_CASE("a form that is cut off anywhere is refused") {
  // The last line end and the bytes of the closing "--" may be missing; before that nothing may.
  const size_t closed = two_files.size() - 2;
  for (size_t size = 0; size < closed; ++size) {
    INFO(size);
    CHECK_FALSE(http::parse_multipart(two_files.substr(0, size), "xyz").ok());
  }
  CHECK(http::parse_multipart(two_files.substr(0, closed), "xyz").ok());
}

TEST_CASE("a form without a boundary is refused") {
  CHECK_FALSE(http::parse_multipart(two_files, "").ok());
  CHECK_FALSE(http::parse_multipart(two_files, "other").ok());
  CHECK(http::multipart_boundary("multipart/form-data; boundary=\"x y\"; charset=utf-8") == "x y");
  CHECK(http::multipart_boundary("multipart/form-data; boundary=xyz") == "xyz");
  CHECK(http::multipart_boundary("multipart/form-data").empty());
}
