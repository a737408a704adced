// Queries of hostile depth and length, from text to answer, on a thread with little stack.
#include <pthread.h>

#include <functional>

#include "tests/engine/exec/engine_fixture.h"
#include "tests/support/nested_text.h"

using namespace quadrille;
using test::Engine;
using test::Nest;
using test::repeat;
using test::text_of;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr size_t stack_bytes = size_t{16} << 20;  // their frames are many times as large
#else
constexpr size_t stack_bytes = size_t{960} << 10;
#endif

void run_on_small_stack(const std::function<void()>& work) {
  pthread_attr_t attributes;
  REQUIRE(pthread_attr_init(&attributes) == 0);
  REQUIRE(pthread_attr_setstacksize(&attributes, stack_bytes) == 0);
  pthread_t thread;
  const auto start = [](void* argument) -> void* {
    (*static_cast<const std::function<void()>*>(argument))();
    return nullptr;
  };
  REQUIRE(pthread_create(&thread, &attributes, start, const_cast<std::function<void()>*>(&work)) == 0);
  REQUIRE(pthread_join(thread, nullptr) == 0);
  pthread_attr_destroy(&attributes);
}

// Whatever it is, it is told: an answer or an error.
std::string outcome_of(Engine& engine, const std::string& text) {
  auto query = sparql::parse_query(std::string(test::test_prefixes) + text);
  if (!query.ok()) return query.error().message;
  auto again = sparql::parse_query(std::string(test::test_prefixes) + text);
  const auto explained = exec::explain(std::move(*again), engine.context());
  if (!explained.ok()) return explained.error().message;
  const auto rows = engine.try_select(text);
  return rows.ok() ? std::to_string(rows->size()) + " rows" : rows.error().message;
}

constexpr Nest nests[] = {
    {"SELECT * { ?s :p ?o FILTER ", "(", "?o", ")", " }"},
    {"SELECT * ", "{", "?s :p ?o", "}", ""},
    {"SELECT * { ?s ", "(", ":p", ")", " ?o }"},
    {"SELECT * { ?s ", "(^", ":p", ")*", " ?o }"},
    {"SELECT * { ?s ", "(", ":p", "/:p)", " ?o }"},
    {"SELECT * { ?s ", "(", ":p", "|:q)", " ?o }"},
    {"SELECT * { ?s :p ", "(", "1", ")", " }"},
    {"SELECT * { ?s :p ", "[ :p ", "1", "]", " }"},
    {"SELECT * { ?s :p ?o FILTER(", "!", "?o", "", ") }"},
    {"SELECT * { ?s :p ?o FILTER(", "ABS(", "?o", ")", ") }"},
    {"SELECT * { ?s :p ?o FILTER(", "-(", "?o", ")", ") }"},
    {"SELECT * { ?s :p ?o FILTER(", "?o IN (", "1", ")", ") }"},
    {"SELECT * { ?s :p ?o FILTER(", "IF(true, ", "?o", ", 1)", ") }"},
    {"SELECT * ", "{ ?s :p ?o FILTER EXISTS ", "{ ?s :p ?o }", "}", ""},
    {"SELECT * ", "{ ?s :p ?o OPTIONAL ", "{ ?s :p ?o }", "}", ""},
    {"SELECT * ", "{ ?s :p ?o MINUS ", "{ ?s :q ?o }", "}", ""},
    {"SELECT * ", "{ GRAPH ?g ", "{ ?s :p ?o }", "}", ""},
    {"SELECT * ", "{ { ?s :q ?o } UNION ", "{ ?s :p ?o }", "}", ""},
    {"SELECT * ", "{ SELECT * ", "{ ?s :p ?o }", "}", ""},
    {"SELECT * ", "{ SELECT DISTINCT * ", "{ ?s :p ?o }", "} ORDER BY ?o LIMIT 5", ""},
    {"SELECT * { ?s :p ?o FILTER(1 ", "+ 1 ", "", "", ") }"},
    {"SELECT * { ?s :p ?o ", "OPTIONAL { ?s :q ?x } ", "", "", " }"},
    {"SELECT * { ?s :p ?o ", "MINUS { ?s :q ?o } ", "", "", " }"},
    {"SELECT * { ?s :p ?o ", "{ ?s :p ?o } ", "", "", " }"},
};

}  // namespace

TEST_CASE("queries of any depth have an answer or an error on a small stack") {
  Engine engine(":a :p :b . :b :p 1 .");
  for (const Nest& nest : nests) {
    for (const int depth : {50, 98, 198, 396, 100'000}) {
      const std::string text = text_of(nest, depth);
      std::string outcome;
      run_on_small_stack([&] { outcome = outcome_of(engine, text); });
      CAPTURE(nest.open, depth, outcome);
      if (depth <= 98) CHECK(outcome.ends_with(" rows"));
      if (depth == 100'000) CHECK(outcome == "found nesting deeper than 400 levels, expected less");
    }
  }
}

TEST_CASE("chains of any length have an answer on a small stack") {
  Engine engine(":a :p :b . :b :p 1 .");
  constexpr int length = 100'000;
  const std::string texts[] = {
      "SELECT * { ?s :p ?o FILTER(?o = 2" + repeat(" || ?o = 1", length) + ") }",
      "SELECT * { ?s :p ?o FILTER(?o = 1" + repeat(" && ?o = 1", length) + ") }",
      "SELECT * { ?s :p ?o " + repeat("FILTER(?o = 1) ", length) + "}",
      "SELECT * { ?s :p ?o FILTER(?o IN (1" + repeat(", 2", length) + ")) }",
      "SELECT * { ?s :p ?o FILTER(CONCAT(\"\"" + repeat(", \"\"", length) + ") = \"\" && ?o = 1) }",
      "SELECT * { VALUES ?o { 1 " + repeat("2 ", length) + "} ?s :p ?o }",
      "SELECT * { { ?s :p 1 }" + repeat(" UNION { ?s :q ?o }", length) + " }",
  };
  for (const std::string& text : texts) {
    std::string outcome;
    run_on_small_stack([&] { outcome = outcome_of(engine, text); });
    CAPTURE(text.substr(0, 60), outcome);
    CHECK(outcome == "1 rows");
  }
}
