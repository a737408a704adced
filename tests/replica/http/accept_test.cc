#include "replica/http/accept.h"

#include <array>
#include <catch2/catch.hpp>
#include <string>

#include "replica/http/content_coding.h"

using namespace quadrille;

namespace {

std::string chosen(std::string_view accept) {
  static constexpr std::array<std::string_view, 3> offered = {"application/json", "text/csv", "text/turtle"};
  const auto index = http::choose_media_type(accept, offered);
  return index ? std::string(offered[*index]) : "none";
}

}  // namespace

TEST_CASE("a client that accepts anything gets what we prefer") {
  CHECK(chosen("") == "application/json");
  CHECK(chosen("*/*") == "application/json");
  CHECK(chosen("*") == "application/json");
}

TEST_CASE("the type of the highest quality is chosen") {
  CHECK(chosen("text/csv") == "text/csv");
  CHECK(chosen("application/json;q=0.5, text/csv;q=0.9") == "text/csv");
  CHECK(chosen("text/csv;q=0.25,application/json;q=0.250") == "application/json");
  CHECK(chosen("TEXT/CSV; charset=utf-8; Q=1") == "text/csv");
}

TEST_CASE("the most specific range says how much a type is wanted") {
  CHECK(chosen("text/*, application/json;q=0.1") == "text/csv");
  CHECK(chosen("*/*, application/json;q=0") == "text/csv");
  CHECK(chosen("text/*;q=0.5, text/turtle") == "text/turtle");
}

TEST_CASE("a client that accepts nothing of ours gets nothing") {
  CHECK(chosen("image/png") == "none");
  CHECK(chosen("application/json;q=0, text/*;q=0") == "none");
}

TEST_CASE("malformed parts of Accept count as absent") {
  CHECK(chosen(",,;q=1, text/csv") == "text/csv");
  CHECK(chosen("application/json;q=2, text/csv;q=0.1") == "text/csv");
  CHECK(chosen("nonsense") == "none");
}

TEST_CASE("an answer is compressed by what the client likes best, and only where it says so") {
  using http::choose_coding;
  using http::ContentCoding;
  CHECK(choose_coding("") == ContentCoding::Identity);
  CHECK(choose_coding("gzip") == ContentCoding::Gzip);
  CHECK(choose_coding("deflate, gzip, br, zstd") == ContentCoding::Zstd);
  CHECK(choose_coding("zstd;q=0.1, gzip;q=0.9") == ContentCoding::Gzip);
  CHECK(choose_coding("*") == ContentCoding::Zstd);
  CHECK(choose_coding("gzip;q=0, *;q=0.5") == ContentCoding::Zstd);
  CHECK(choose_coding("gzip;q=0") == ContentCoding::Identity);
  CHECK(choose_coding("identity") == ContentCoding::Identity);
  CHECK(choose_coding("br, deflate") == ContentCoding::Identity);
}
