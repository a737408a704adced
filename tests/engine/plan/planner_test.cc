#include <catch2/catch.hpp>

#include <string>

#include "engine/io/rdf_parser.h"
#include "engine/plan/planner.h"
#include "engine/sparql/parse.h"
#include "tests/support/forwarding_source.h"
#include "tests/support/memory_source.h"
#include "tests/support/seeded_random.h"

using namespace quadrille;

namespace {

// Counts the scans that planning opens to sample fan-outs, and the terms that it looks up.
class ObservedSource final : public test::ForwardingSource {
 public:
  using ForwardingSource::ForwardingSource;
  std::unique_ptr<model::QuadScan> scan(model::QuadOrder order, std::span<const model::TermId> prefix,
                                        model::ColumnSet wanted) const override {
    ++scans;
    return inner_.scan(order, prefix, wanted);
  }
  std::optional<model::TermId> find_term(const model::Term& term) const override {
    ++terms;
    return inner_.find_term(term);
  }

  mutable int scans = 0;
  mutable int terms = 0;
};

// The first one in the plan, or null.
const plan::ExistsPlan* exists_in(const plan::Plan& plan) {
  const plan::ExistsPlan* found = nullptr;
  plan::for_each_expression(plan, [&](const plan::PlannedExpression& one) {
    if (found == nullptr && !one.exists.empty()) found = one.exists.front().second.get();
  });
  for (const auto& child : plan.children) {
    if (found == nullptr) found = exists_in(*child);
  }
  return found;
}

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
    add(turtle);
  }

  std::string plan(std::string_view text, plan::PlanMemory* memory = nullptr) {
    const auto query = sparql::parse_query("PREFIX : <http://example.org/> " + std::string(text));
    if (!query.ok()) FAIL(query.error().message);
    plan::Dataset dataset;
    dataset.named_graphs = std::make_shared<plan::GraphFilter>();
    const ObservedSource source(data_);
    const auto planned = plan::make_plan(*query->pattern, query->variables, dataset, source, memory);
    scans = source.scans;
    terms = source.terms;
    if (!planned.ok()) FAIL(planned.error().message);
    seeds = (*planned)->seeds;
    const plan::ExistsPlan* exists = exists_in(*(*planned)->root);
    cost_of_seed = exists == nullptr ? 0 : exists->cost_of_seed;
    return plan::to_text(**planned, data_);
  }

  void add(std::string_view turtle) {
    test::SeededRandom random(2);
    model::BlankNodeScope nodes(random);
    const auto quads = io::parse_rdf_text(io::RdfFormat::Turtle, turtle, {}, nodes);
    if (!quads.ok()) FAIL(quads.error().message);
    for (const auto& quad : *quads) data_.add(quad);
  }

  // Of the last plan:
  int scans = 0;
  int terms = 0;
  uint32_t seeds = 0;
  double cost_of_seed = 0;  // of its first EXISTS

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

TEST_CASE("many rows are joined by reading a pattern whole, few rows and those that a limit cuts by looking it up") {
  People people;
  CHECK(has(people.plan("SELECT * { ?x :name ?n . ?x :age ?a }"), "HashJoin on ?x"));
  CHECK_FALSE(has(people.plan("SELECT * { ?x :lives :oslo . ?x :age ?a }"), "HashJoin"));
  CHECK_FALSE(has(people.plan("SELECT * { ?x :name ?n . ?x :age ?a } LIMIT 5"), "HashJoin"));
  CHECK(has(people.plan("SELECT * { ?x :name ?n . ?x :age ?a } ORDER BY ?n LIMIT 5"), "HashJoin on ?x"));
}

TEST_CASE("variables that a filter demands to be equal join by the index") {
  People people;
  const std::string text = people.plan("SELECT * { :p1 :lives ?a . ?x :lives ?b FILTER(?a = ?b) }");
  CAPTURE(text);
  CHECK(has(text, "where ?b = ?a by POSG, prefix 1, key 2"));
  CHECK(is_below(text, "where ?b = ?a", "Filter (?a = ?b)"));
}

TEST_CASE("EXISTS in one another are not planned twice each") {
  People people;
  std::string text = "SELECT * { ?x :name ?n . ";
  for (int i = 0; i < 12; ++i) text += "FILTER EXISTS { ?x :age ?a" + std::to_string(i) + " . ";
  people.plan(text + std::string(13, '}'));
  CHECK(people.seeds < 1000);
}

TEST_CASE("a seed of an EXISTS costs a look-up at least, however many rows there are outside") {
  People people;
  people.plan("SELECT * { ?x :name ?n FILTER EXISTS { ?x :age ?a } }");
  CHECK(people.cost_of_seed >= plan::Tuning().cost_of_lookup);
}

TEST_CASE("a term is looked up once for all places where a query has it") {
  People people;
  plan::PlanMemory memory;
  people.plan("SELECT * { ?x :lives :oslo ; :name ?n . ?y :lives :oslo ; :name ?m . ?z :name ?n }", &memory);
  CHECK(people.terms == 3);
}

TEST_CASE("a query of a shape that was planned before takes the choices of then") {
  People people;
  plan::PlanMemory memory;
  const std::string first = people.plan("SELECT * { ?x :lives :oslo . ?x :age 50 . ?x :name ?n }", &memory);
  CHECK(people.scans > 0);
  const std::string second = people.plan("SELECT * { ?x :lives :oslo . ?x :age 60 . ?x :name ?n }", &memory);
  CHECK(people.scans == 0);
  CHECK(memory.size() == 1);
  CHECK(has(second, "\"60\""));
  constexpr std::string_view name = "<http://example.org/name>";
  constexpr std::string_view lives = "<http://example.org/lives>";
  CHECK(is_below(first, lives, name));
  CHECK(is_below(second, lives, name));
  CHECK(has(people.plan("SELECT * { ?x :lives :oslo . ?x :age \"none\" . ?x :name ?n }", &memory), "Nothing"));
  // A constant that selects far more or fewer rows makes another shape.
  people.plan("SELECT * { ?x a :King . ?x :name ?n }", &memory);
  people.plan("SELECT * { ?x :lives :oslo . ?x :name ?n }", &memory);
  CHECK(memory.size() == 3);
}

TEST_CASE("a subject or a predicate that selects far more rows than before makes another shape") {
  People people;
  plan::PlanMemory memory;
  const auto plan = [&] {
    people.plan("SELECT * { :p1 :knows ?x . ?x :name ?n }", &memory);
    people.plan("SELECT * { :p1 ?p ?x . ?x :name ?n }", &memory);
    people.plan("SELECT * { ?y :knows ?x . ?x :name ?n }", &memory);
  };
  const std::string few = "@prefix : <http://example.org/> . :p1 :knows :p2 . ";
  people.add(few);
  plan();
  CHECK(memory.size() == 3);
  plan();
  CHECK(memory.size() == 3);
  std::string many = few;
  for (int i = 0; i < 2000; ++i) many += ":p1 :knows :p" + std::to_string(i) + " . ";
  people.add(many);
  plan();
  CHECK(memory.size() == 6);
}

TEST_CASE("what is remembered of queries stays within its bound") {
  plan::PlanMemory memory(10'000);
  for (int i = 0; i < 1000; ++i) {
    memory.keep("shape " + std::to_string(i), plan::Choices(10));
    CHECK(memory.size() <= 125);  // ten numbers take 80 bytes
  }
  CHECK(memory.find("shape 999") != nullptr);
  memory.keep(std::string(9'950, 'x'), {});
  CHECK(memory.find(std::string(9'950, 'x')) == nullptr);
  CHECK(memory.find("shape 999") != nullptr);
  plan::PlanMemory large;
  large.keep(std::string(100'000, 'x'), {});
  CHECK(large.size() == 0);
}

TEST_CASE("rows that many threads may share are marked, with the arguments of aggregates that they can compute") {
  People people;
  const std::string dear =
      "SELECT ?n (AVG(<http://www.w3.org/2001/XMLSchema#float>(STR(?a))) AS ?m) "
      "{ ?x :name ?n ; :age ?a } GROUP BY ?n";
  const std::string text = people.plan(dear);
  CHECK(text.find("by several threads") != std::string::npos);
  CHECK(text.find("Extend ?.argument") != std::string::npos);
  const std::string few = people.plan("SELECT ?x ?n { ?x :lives :oslo ; :name ?n }");
  CHECK(few.find("by several threads") == std::string::npos);
}
