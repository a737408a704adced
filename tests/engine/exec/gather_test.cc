// Queries on several threads: the same answer as on one.
#include <catch2/catch.hpp>
#include <utility>

#include "tests/engine/exec/engine_fixture.h"
#include "tests/support/forwarding_source.h"
#include "tests/support/task_runners.h"

using namespace quadrille;
using test::Engine;
using test::Rows;

namespace {

// Orders of customers, with prices and notes; enough for many morsels of 16 rows.
std::string shop() {
  std::string text;
  for (int i = 0; i < 2000; ++i) {
    const std::string order = ":o" + std::to_string(i);
    text += order + " :by :c" + std::to_string(i * 7 % 50) + " ; :price " + std::to_string(i % 97) + " .\n";
    if (i % 3 == 0) text += order + " :note \"note " + std::to_string(i % 11) + "\" .\n";
  }
  for (int i = 0; i < 50; ++i) text += ":c" + std::to_string(i) + " :in :city" + std::to_string(i % 5) + " .\n";
  return text;
}

plan::Tuning in_small_morsels() {
  plan::Tuning tuning;
  tuning.rows_worth_threads = 100;
  tuning.rows_a_morsel = 16;
  return tuning;
}

constexpr const char* queries[] = {
    "SELECT * { ?o :by ?c . ?c :in ?city . ?o :price ?p FILTER(?p > 20) }",
    "SELECT ?o ?n { ?o :by ?c OPTIONAL { ?o :note ?n } }",
    "SELECT ?o ?t { ?o :by ?c ; :price ?p BIND(CONCAT(STR(?c), STR(?p * 1.5)) AS ?t) }",
    "SELECT ?city (SUM(?p) AS ?sum) (COUNT(DISTINCT ?t) AS ?n) { ?o :by ?c ; :price ?p . ?c :in ?city "
    "BIND(CONCAT('x', STR(?p)) AS ?t) } GROUP BY ?city",
    "SELECT ?o { ?o :by ?c MINUS { ?o :note ?n } }",
    "SELECT ?c (AVG(xsd:float(STR(?p))) AS ?mean) (MIN(STRLEN(STR(?p))) AS ?least) (COUNT(DISTINCT xsd:float(STR(?p))) "
    "AS ?n) (SUM(xsd:integer(STR(?p)) ) AS ?sum) (GROUP_CONCAT(DISTINCT xsd:float(?p)) AS ?all) "
    "{ ?o :by ?c ; :price ?p FILTER(?p < 7) } GROUP BY ?c",
    "SELECT ?o { ?o :by ?c FILTER NOT EXISTS { ?o :note ?n FILTER(STRLEN(?n) > 6) } }",
    "SELECT ?t ?u { ?o :price ?p BIND(CONCAT('a', STR(?p)) AS ?t) { SELECT ?t (SAMPLE(?q) AS ?u) "
    "{ ?x :price ?q BIND(CONCAT('a', STR(?q)) AS ?t) } GROUP BY ?t } }",
    "SELECT ?o ?p { ?o :price ?p . ?o :by ?c . ?c :in ?city } ORDER BY ?p ?o LIMIT 200",
};

// As a snapshot is that was taken for two threads.
class OneTwin final : public test::ForwardingSource {
 public:
  using ForwardingSource::ForwardingSource;
  std::unique_ptr<model::QuadSource> make_twin() const override {
    return std::exchange(has_twin_, false) ? inner_.make_twin() : nullptr;
  }

 private:
  mutable bool has_twin_ = true;
};

size_t rounds_of(Engine& engine, const std::string& text) {
  auto query = sparql::parse_query(std::string(test::test_prefixes) + text);
  REQUIRE(query.ok());
  const OneTwin source(engine.data);
  test::ThreadPerTask threads(2);
  exec::QueryContext context = engine.context();
  context.source = &source;
  context.limits.tasks = &threads;
  auto solutions = exec::run_select(std::move(*query), context);
  REQUIRE(solutions.ok());
  for (;;) {
    const auto rows = (*solutions)->next();
    REQUIRE(rows.ok());
    if (*rows == 0) return threads.rounds;
  }
}

}  // namespace

TEST_CASE("all long parts of a query share the twins of its snapshot") {
  Engine engine(shop());
  engine.tuning = in_small_morsels();
  const std::string part = "{ SELECT ?c (SUM(?p) AS ?%) { ?o :by ?c . ?c :in ?city . ?o :price ?p } GROUP BY ?c }";
  const auto named = [&](const std::string& name) { return std::string(part).replace(part.find('%'), 1, name); };
  const size_t one = rounds_of(engine, "SELECT * { " + named("x") + " }");
  const size_t two = rounds_of(engine, "SELECT * { " + named("x") + named("y") + " }");
  CHECK(one > 0);
  CHECK(two == 2 * one);
}

TEST_CASE("several threads give the answer of one thread") {
  Engine engine(shop());
  for (const char* query : queries) {
    INFO(query);
    engine.tuning = plan::Tuning();
    engine.tasks = nullptr;
    const Rows alone = engine.sorted(query);
    REQUIRE(alone.size() > 4);
    engine.tuning = in_small_morsels();
    test::ThreadPerTask threads(4);
    engine.tasks = &threads;
    CHECK(engine.sorted(query) == alone);
    CHECK(threads.rounds > 0);
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      test::ShuffledTaskRunner shuffled(3, seed);
      engine.tasks = &shuffled;
      CHECK(engine.sorted(query) == alone);
    }
  }
}

// A thread lays its rows down in the middle of a morsel: what it has made by then, it must know again afterwards.
TEST_CASE("a term that a thread made stays the same term when others make it too") {
  std::string text;
  for (int i = 0; i < 800; ++i) text += ":o" + std::to_string(i) + " :price " + std::to_string(i / 100) + " .\n";
  Engine engine(text);
  const std::string query =
      "SELECT ?o ?t ?x { ?o :price ?p BIND(CONCAT('a', STR(?p)) AS ?t) OPTIONAL { ?x :price ?p } "
      "BIND(CONCAT('a', STR(?p)) AS ?u) FILTER(sameTerm(?t, ?u)) }";
  const Rows alone = engine.sorted(query);
  REQUIRE(alone.size() == 80'000);
  engine.tuning = in_small_morsels();
  engine.tuning.rows_a_morsel = 64;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    test::ShuffledTaskRunner shuffled(3, seed);
    engine.tasks = &shuffled;
    CHECK((engine.sorted(query) == alone));  // in parentheses: too many rows to be shown
    CHECK(shuffled.runs > 0);
  }
}

// DISTINCT, which one thread runs, makes the text of row 201 after a thread made the same of row 0, and so on.
TEST_CASE("a term that a thread made is the same when it comes to it in a row") {
  std::string text;
  for (int i = 0; i < 2000; ++i) {
    const int next = i % 2 == 0 ? i + 201 : i;
    text += ":o" + std::to_string(i) + " :price " + std::to_string(i) + " ; :next " + std::to_string(next) + " .\n";
  }
  Engine engine(text);
  const std::string query =
      "SELECT ?o { { SELECT DISTINCT ?o ?t { ?o :price ?p BIND(CONCAT('text ', STR(?p)) AS ?t) } } "
      "OPTIONAL { ?o :next ?n } BIND(CONCAT('text ', STR(?n)) AS ?u) FILTER(sameTerm(?t, ?u)) }";
  REQUIRE(engine.select(query).size() == 1000);
  engine.tuning = in_small_morsels();
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    test::ShuffledTaskRunner shuffled(2, seed);
    engine.tasks = &shuffled;
    CHECK(engine.select(query).size() == 1000);
    CHECK(shuffled.runs > 0);
  }
}

TEST_CASE("what follows a morsel that makes very much does not pile up behind it") {
  std::string text;
  for (int i = 0; i < 2000; ++i) {
    const bool is_big = i >= 160 && i < 168;
    text += ":o" + std::to_string(i) + " :by " + (is_big ? ":big" : ":c" + std::to_string(i < 160 ? 0 : i % 9 + 1)) +
            " .\n";
  }
  for (int i = 0; i < 20'000; ++i) text += ":big :in :city" + std::to_string(i) + " .\n";
  for (int i = 0; i < 200; ++i) text += ":c" + std::to_string(i % 10) + " :in :city" + std::to_string(i) + " .\n";
  Engine engine(text);
  const auto rows_of_answer = [&] {
    auto query =
        sparql::parse_query(std::string(test::test_prefixes) + "SELECT * { ?o :by ?c OPTIONAL { ?c :in ?city } }");
    exec::QueryContext context = engine.context();
    context.limits.memory_limit_bytes = 300'000;
    auto solutions = exec::run_select(std::move(*query), context);
    REQUIRE(solutions.ok());
    for (size_t count = 0;;) {
      const auto rows = (*solutions)->next();
      if (!rows.ok()) FAIL(rows.error().message << " after " << count << " rows");
      if (*rows == 0) return count;
      count += *rows;
    }
  };
  const size_t alone = rows_of_answer();
  REQUIRE(alone == 8 * 20'000 + 1992 * 20);
  engine.tuning = in_small_morsels();
  test::ShuffledTaskRunner shuffled(3, 1);
  engine.tasks = &shuffled;
  CHECK(rows_of_answer() == alone);
  CHECK(shuffled.runs > 0);
}

TEST_CASE("a short query asks for no second thread") {
  Engine engine(shop());
  test::ThreadPerTask threads(4);
  engine.tasks = &threads;
  engine.tuning = in_small_morsels();
  CHECK(engine.select("SELECT ?p ?c { :o7 :price ?p ; :by ?c }").size() == 1);
  CHECK(engine.select("SELECT ?o ?p { ?o :price ?p . ?o :by ?c . ?c :in ?city } LIMIT 5").size() == 5);
  CHECK(threads.rounds == 0);
}

TEST_CASE("what draws on chance stays on one thread") {
  Engine engine(shop());
  test::ThreadPerTask threads(4);
  engine.tasks = &threads;
  engine.tuning = in_small_morsels();
  CHECK(engine.select("SELECT ?o ?r { ?o :price ?p BIND(RAND() + ?p AS ?r) }").size() == 2000);
  CHECK(engine.select("SELECT ?o ?r { ?o :price ?p BIND(BNODE(STR(?p)) AS ?r) }").size() == 2000);
  CHECK(threads.rounds == 0);
}

TEST_CASE("a limit that one thread meets ends the query on all") {
  Engine engine(shop());
  test::ThreadPerTask threads(4);
  engine.tasks = &threads;
  engine.tuning = in_small_morsels();
  const auto limited = [&](exec::RunLimits limits) {
    auto query =
        sparql::parse_query(std::string(test::test_prefixes) + "SELECT * { ?a :by ?c . ?b :by ?c . ?d :by ?c }");
    exec::QueryContext context = engine.context();
    context.limits = limits;
    auto solutions = exec::run_select(std::move(*query), context);
    REQUIRE(solutions.ok());
    for (;;) {
      const auto rows = (*solutions)->next();
      if (!rows.ok()) return rows.error().kind;
      REQUIRE(*rows > 0);
    }
  };
  exec::RunLimits limits = engine.limits();
  SECTION("of memory") {
    limits.memory_limit_bytes = 200'000;
    CHECK(limited(limits) == base::ErrorKind::ResourceExhausted);
  }
  SECTION("of the client's patience") {
    std::atomic<bool> cancelled{true};
    limits.cancelled = &cancelled;
    CHECK(limited(limits) == base::ErrorKind::Unavailable);
  }
}
