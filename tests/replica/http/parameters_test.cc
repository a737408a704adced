#include "replica/http/parameters.h"

#include <catch2/catch.hpp>

using namespace quadrille;

TEST_CASE("a form is decoded into its parameters") {
  const auto form = http::Parameters::parse("query=ASK+%7B%7D&default-graph-uri=a&default-graph-uri=b&empty=&&flag");
  REQUIRE(form.ok());
  CHECK(form->first("query") == "ASK {}");
  CHECK(form->all("default-graph-uri") == std::vector<std::string>{"a", "b"});
  CHECK(form->first("empty") == "");
  CHECK(form->count("flag") == 1);
  CHECK_FALSE(form->first("other"));
  CHECK(form->first_unknown({"query", "default-graph-uri", "empty"}) == "flag");
}

TEST_CASE("a broken escape is refused") {
  for (const char* wrong : {"a=%", "a=%4", "a=%4x", "a=%-1", "%zz=1"}) {
    INFO(wrong);
    CHECK_FALSE(http::Parameters::parse(wrong).ok());
  }
}

TEST_CASE("what is encoded decodes to the same bytes") {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  const auto decoded = http::percent_decode(http::percent_encode(all), true);
  REQUIRE(decoded.ok());
  CHECK(*decoded == all);
}
