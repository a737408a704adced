// Hostile depth and size.
#include <thread>

#include "tests/engine/sparql/parsing.h"
#include "tests/support/nested_text.h"

using namespace quadrille::sparql;
using namespace quadrille::sparql::testing;
using quadrille::test::Nest;
using quadrille::test::repeat;
using quadrille::test::text_of;

namespace {

constexpr Nest nests[] = {
    {"ASK { FILTER ", "(", "1", ")", " }"},      {"ASK ", "{", "?a ?b ?c", "}", ""},
    {"ASK { ?a ", "(", "<p:p>", ")", " ?b }"},   {"ASK { ?a ", "(^", "<p:p>", ")*", " ?b }"},
    {"ASK { ?a ?b ", "(", "1", ")", " }"},       {"ASK { ?a ?b ", "[ ?p ", "1", "]", " }"},
    {"ASK { FILTER(", "!", "1", "", ") }"},      {"ASK { FILTER(", "ABS(", "1", ")", ") }"},
    {"ASK { FILTER(", "-(", "1", ")", ") }"},    {"ASK { FILTER(", "1 IN (", "1", ")", ") }"},
    {"ASK ", "{ FILTER EXISTS ", "{}", "}", ""}, {"ASK ", "{ OPTIONAL ", "{}", "}", ""},
    {"ASK ", "{ MINUS ", "{}", "}", ""},         {"ASK ", "{ GRAPH ?g ", "{}", "}", ""},
    {"ASK ", "{ SERVICE ?g ", "{}", "}", ""},    {"ASK ", "{ {} UNION ", "{}", "}", ""},
    {"ASK ", "{ SELECT * ", "{}", "}", ""},      {"ASK ", "{ SELECT (1 AS ?x) { FILTER EXISTS", "{}", "}}", ""},
};

// One chain each that the grammar does not nest, and yet makes a deep tree.
constexpr Nest chains[] = {
    {"ASK { FILTER(1 ", "+ 1 ", "", "", ") }"},      {"ASK { FILTER(1 ", "-1 ", "", "", ") }"},
    {"ASK { FILTER(1 ", "* 1 ", "", "", ") }"},      {"ASK { ", "OPTIONAL { ?a ?b ?c } ", "", "", " }"},
    {"ASK { ", "MINUS { ?a ?b ?c } ", "", "", " }"}, {"ASK { ", "{ ?a ?b ?c } ", "", "", " }"},
    {"ASK { ", "?a <p:p>* ?c . ", "", "", " }"},
};

}  // namespace

TEST_CASE("nesting beyond the limit is an error with a position, never a crash") {
  for (const auto& nest : nests) {
    INFO(nest.open);
    CHECK(query_error(text_of(nest, 90)) == "accepted");
    const std::string error = query_error(text_of(nest, 100'000));
    CHECK(error.find("found nesting deeper than 400 levels") != std::string::npos);
    CHECK(error.substr(0, 2) == "1:");
  }
  for (const auto& chain : chains) {
    INFO(chain.open);
    CHECK(query_error(text_of(chain, 390)) == "accepted");
    CHECK(query_error(text_of(chain, 20'000)).find("deeper than 400 levels") != std::string::npos);
  }
}

TEST_CASE("levels of different kinds add up to one limit") {
  std::string chained = "1";
  for (int i = 0; i < 40; ++i) chained = "(" + chained + ")" + repeat(" + 1", 100);
  CHECK(query_error("ASK { FILTER(" + chained + ") }").find("deeper than 400") != std::string::npos);
}

TEST_CASE("long OR, AND and UNION chains are trees of little depth, in the order of writing") {
  CHECK(query_error("ASK { FILTER(1" + repeat(" || 1", 20'000) + ") }") == "accepted");
  CHECK(query_error("ASK { FILTER(1" + repeat(" && 1", 20'000) + ") }") == "accepted");
  CHECK(query_error("ASK { {}" + repeat(" UNION {}", 20'000) + " }") == "accepted");
  CHECK(query_error("ASK { " + repeat("FILTER(1) ", 20'000) + " }") == "accepted");
  CHECK(query_error("ASK { ?a <p:p>" + repeat("/<p:p>", 20'000) + " ?b }") == "accepted");
  CHECK(query_error("ASK { ?a <p:p>" + repeat("|<p:p>", 20'000) + " ?b }") == "accepted");
  CHECK(query_error("ASK { ?a ?b (" + repeat("1 ", 20'000) + ") }") == "accepted");
  CHECK(algebra_of("ASK { FILTER(?a || ?b || ?c || ?d || ?e) }") == R"(
Filter (((?a || ?b) || (?c || ?d)) || ?e)
  BasicGraphPattern
)");
}

TEST_CASE("the deepest request that is accepted fits a thread's ordinary stack, to parse, print and destroy") {
  std::thread thread([] {
    for (const auto& nest : nests) {
      for (int depth = 100; depth < 400; depth += 33) {
        const auto result = parse_query(text_of(nest, depth));
        if (!result.ok()) break;
        CHECK(!to_text(*result->pattern).empty());
      }
    }
  });
  thread.join();
}

TEST_CASE("a short text cannot fill the memory by repetition") {
  const std::string long_iri = "<http://a/" + std::string(200'000, 'x') + ">";
  const std::string error = query_error("ASK { " + long_iri + " <p:p> 1" + repeat(",1", 100'000) + " }");
  CHECK(error.find("terms that take more than") != std::string::npos);
  CHECK(query_error("PREFIX a: " + long_iri + " ASK { FILTER(1 IN (a:" + repeat(", a:", 100'000) + ")) }")
            .find("terms that take more than") != std::string::npos);
}
