#include <catch2/catch.hpp>

#include <string>

#include "engine/io/rdf_parser.h"
#include "engine/plan/planner.h"
#include "engine/sparql/parse.h"
#include "tests/support/memory_source.h"
#include "tests/support/seeded_random.h"

using namespace quadrille;

namespace {

// Ten thousand people, each with a name and an age; a hundred of them in Oslo, one of them a king.
class People {
 public:
  People() {
    std::string turtle = "@prefix : <http://example.org/> .\n";
    for (int i = 0; i < 10'000; ++i) {
      const std::string who = ":p" + std::to_string(i);
      turtle += who + " :name \"name " + std::to_string(i) + "\" ; :age " + std::to_string(i % 90) + " .\n";
      if (i % 100 == 0) turtle += who + " :lives :oslo .\n";
      if (i == 5000) turtle += who + " a :King .\n";
    }
    test::SeededRandom random(1);
    model::BlankNodeScope nodes(random);
    const auto quads = io::parse_rdf_text(io::RdfFormat::Turtle, turtle, {}, nodes);
    if (!quads.ok()) FAIL(quads.error().message);
    for (const auto& quad : *quads) data_.add(quad);
  }

  std::string plan(std::string_view text) {
    const auto query = sparql::parse_query("PREFIX : <http://example.org/> " + std::string(text));
    if (!query.ok()) FAIL(query.error().message);
    plan::Dataset dataset;
    dataset.named_graphs = std::make_shared<plan::GraphFilter>();
    const auto planned = plan::make_plan(*query->pattern, query->variables, dataset, data_);
    if (!planned.ok()) FAIL(planned.error().message);
    return plan::to_text(**planned, data_);
  }

 private:
  test::MemorySource data_;
};

bool is_below(const std::string& text, std::string_view lower, std::string_view upper) {
  const size_t below = text.find(lower);
  const size_t above = text.find(upper);
  return below != std::string::npos && above != std::string::npos && below > above;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("the plan begins with the pattern that has fewest rows") {
  People people;
  const std::string text = people.plan("SELECT * { ?x :name ?n . ?x :lives :oslo . ?x :age ?a . ?x a :King }");
  CAPTURE(text);
  CHECK(has(text, "Scan ?x <http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"));
  CHECK(is_below(text, "<http://example.org/lives>", "<http://example.org/name>"));
}

TEST_CASE("a filter runs as soon as its variables are bound, and an optional part after it") {
  People people;
  const std::string text = people.plan(
      "SELECT * { ?x :lives :oslo . ?x :age ?a . ?x :name ?n OPTIONAL { ?x a ?t } FILTER(?a > 80 && !bound(?t)) }");
  CAPTURE(text);
  CHECK(is_below(text, "Filter (?a >", "<http://example.org/name>"));
  CHECK(is_below(text, "IndexJoin(optional)", "Filter "));
  CHECK(is_below(text, "Filter (?a >", "IndexJoin(optional)"));
}

TEST_CASE("an optional part that shares a variable is seeded by few rows, and hashed for many") {
  People people;
  CHECK(has(people.plan("SELECT * { ?x :lives :oslo OPTIONAL { ?x :name ?n . ?x :age ?a } }"),
            "Lateral(optional) on ?x"));
  CHECK(has(people.plan("SELECT * { ?y :lives :oslo OPTIONAL { ?x :name ?n . ?x a :King } }"), "HashJoin(optional)"));
}

TEST_CASE("a limit reaches the sort, through DISTINCT too when the sort sees only what is projected") {
  People people;
  CHECK(has(people.plan("SELECT ?n { ?x :name ?n } ORDER BY ?n OFFSET 5 LIMIT 10"), "OrderBy first 15"));
  CHECK(has(people.plan("SELECT DISTINCT ?n { ?x :name ?n } ORDER BY ?n LIMIT 10"), "OrderBy first 10"));
  CHECK_FALSE(has(people.plan("SELECT DISTINCT ?n { ?x :name ?n ; :age ?a } ORDER BY ?a LIMIT 10"), "first"));
}

TEST_CASE("an index order is chosen by what is constant and what is joined") {
  People people;
  CHECK(has(people.plan("SELECT * { ?x :lives :oslo }"), "by POSG, prefix 2"));
  CHECK(has(people.plan("SELECT * { :p1 ?p ?o }"), "by GSPO, prefix 2"));
  const std::string text = people.plan("SELECT * { ?x a :King . ?x :lives :oslo }");
  CAPTURE(text);
  // Both constants lead, so the walk is a merge over one range.
  CHECK(has(text, "IndexJoin ?x <http://example.org/lives> <http://example.org/oslo> by POSG, prefix 2, key 4"));
}

TEST_CASE("a term that the store has never seen makes its group empty when planning") {
  People people;
  CHECK(has(people.plan("SELECT * { ?x :lives :bergen . ?x :name ?n }"), "Nothing"));
}
