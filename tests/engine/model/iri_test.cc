#include "engine/model/iri.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

using namespace quadrille::model;

TEST_CASE("relative references resolve as the examples of RFC 3986 section 5.4 say") {
  const std::string base = "http://a/b/c/d;p?q";
  const std::vector<std::pair<std::string, std::string>> examples = {
      {"g:h", "g:h"},
      {"g", "http://a/b/c/g"},
      {"./g", "http://a/b/c/g"},
      {"g/", "http://a/b/c/g/"},
      {"/g", "http://a/g"},
      {"//g", "http://g"},
      {"?y", "http://a/b/c/d;p?y"},
      {"g?y", "http://a/b/c/g?y"},
      {"#s", "http://a/b/c/d;p?q#s"},
      {"g#s", "http://a/b/c/g#s"},
      {"g?y#s", "http://a/b/c/g?y#s"},
      {";x", "http://a/b/c/;x"},
      {"g;x?y#s", "http://a/b/c/g;x?y#s"},
      {"", "http://a/b/c/d;p?q"},
      {".", "http://a/b/c/"},
      {"./", "http://a/b/c/"},
      {"..", "http://a/b/"},
      {"../", "http://a/b/"},
      {"../g", "http://a/b/g"},
      {"../..", "http://a/"},
      {"../../g", "http://a/g"},
      {"../../../g", "http://a/g"},
      {"/./g", "http://a/g"},
      {"/../g", "http://a/g"},
      {"g.", "http://a/b/c/g."},
      {"..g", "http://a/b/c/..g"},
      {"./../g", "http://a/b/g"},
      {"./g/.", "http://a/b/c/g/"},
      {"g/./h", "http://a/b/c/g/h"},
      {"g/../h", "http://a/b/c/h"},
      {"g;x=1/../y", "http://a/b/c/y"},
      {"g?y/../x", "http://a/b/c/g?y/../x"},
      {"g#s/../x", "http://a/b/c/g#s/../x"},
      {"http:g", "http:g"},
  };
  for (const auto& [reference, expected] : examples) {
    INFO(reference);
    CHECK(resolve_iri(base, reference) == expected);
  }
}

TEST_CASE("a base without a path still separates authority and path") {
  CHECK(resolve_iri("http://example.org", "x") == "http://example.org/x");
  CHECK(resolve_iri("urn:a:b", "c") == "urn:c");
  CHECK(resolve_iri("file:///a/b", "../c") == "file:///c");
}

TEST_CASE("an absolute IRI is kept as it stands, so that it is the same term in every format") {
  CHECK(resolve_iri("http://a/", "http://b/x/../y") == "http://b/x/../y");
}

TEST_CASE("an IRI of a term is absolute, and free of the characters that the grammars forbid") {
  CHECK(check_iri("http://example.org/a?b#c"));
  CHECK(check_iri("urn:x:\xC3\xA9"));
  CHECK(check_iri("a:"));
  for (const char* bad : {"", "x", "/x", "1http://a", ":a", "//a", "http//a"}) {
    INFO(bad);
    CHECK_FALSE(check_iri(bad));
  }
  for (const char c : std::string(" <>\"{}|^`\\\n\t\0\x1f", 15)) {
    const std::string iri = std::string("http://a/") + c;
    INFO(static_cast<int>(c));
    CHECK_FALSE(check_iri(iri));
  }
  CHECK_FALSE(check_iri("http://a/\xff"));
  CHECK_FALSE(check_iri("http://a/\xed\xa0\x80"));
}

TEST_CASE("the message about a bad IRI is one line, whatever the IRI holds") {
  const auto checked = check_iri("http://a/\n\x1b[31m" + std::string(10000, 'x'));
  REQUIRE_FALSE(checked);
  CHECK(checked.error().message.find('\n') == std::string::npos);
  CHECK(checked.error().message.find('\x1b') == std::string::npos);
  CHECK(checked.error().message.size() < 300);
}
