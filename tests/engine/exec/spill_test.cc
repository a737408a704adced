// Sorting, grouping and DISTINCT beyond memory: the same answers, by way of the disk.
#include <filesystem>

#include "engine/base/temporary_file.h"
#include "tests/engine/exec/engine_fixture.h"
#include "tests/support/counting_scratch.h"

using namespace quadrille;
using test::CountingScratch;
using test::Engine;
using test::Rows;

namespace {

constexpr int items = 6000;

// A value of any kind, some of them often.
std::string random_value(test::SeededRandom& random) {
  const std::string number = std::to_string(random.below(700));
  switch (random.below(11)) {
    case 0: return number;
    case 1: return "-" + number + ".25";
    case 2: return number + "e0";
    case 3: return "\"text " + number + "\"";
    case 4: return "\"text " + number + "\"@en";
    case 5: return "\"x" + number + "\"^^:unknown";
    case 6: return "<http://example.org/iri" + number + ">";
    case 7: return "_:b" + number;
    case 8:
      return "\"2020-01-01T00:00:" + std::to_string(10 + random.below(50)) +
             "Z\"^^<http://www.w3.org/2001/XMLSchema#dateTime>";
    case 9: return "\"" + number + "\"^^<http://www.w3.org/2001/XMLSchema#float>";
    default: return "\"0" + number + "\"^^<http://www.w3.org/2001/XMLSchema#integer>";
  }
}

// Of each item: a group, a number, and mostly a value of some kind.
const std::string& data() {
  static const std::string made = [] {
    test::SeededRandom random(11);
    std::string text;
    for (int i = 0; i < items; ++i) {
      text += ":s" + std::to_string(i) + " :group :g" + std::to_string(random.below(1500)) + " ; :number " +
              std::to_string(random.below(5000));
      if (random.below(8) > 0) text += " ; :value " + random_value(random);
      text += " .\n";
    }
    return text;
  }();
  return made;
}

Engine& engine() {
  static Engine made(data());
  return made;
}

// Joins look up, and keep nothing: what needs memory is what is tested.
exec::QueryContext context_with(CountingScratch& scratch, uint64_t memory_bytes) {
  exec::QueryContext context = engine().context();
  context.limits.tuning = {1e-3, 1e12, 1e12, 1e12, 1e12, 1e12};
  context.limits.scratch = &scratch;
  context.limits.memory_limit_bytes = memory_bytes;
  return context;
}

base::Result<Rows> run(const std::string& text, const exec::QueryContext& context) {
  auto query = sparql::parse_query(std::string(test::test_prefixes) + text);
  if (!query.ok()) FAIL(query.error().message);
  QUADRILLE_ASSIGN(const auto solutions, exec::run_select(std::move(*query), context));
  return Engine::rows_of(*solutions);
}

Rows run_spilled(const std::string& text, uint64_t memory_bytes, CountingScratch& scratch) {
  auto rows = run(text, context_with(scratch, memory_bytes));
  if (!rows.ok()) FAIL(text + ": " + rows.error().message);
  CHECK(scratch.written > 0);
  CHECK(scratch.open_files == 0);
  return std::move(*rows);
}

constexpr uint64_t much = uint64_t{1} << 30;

// The rows with little memory and with much: in the same order, or as multisets.
void check_same(const std::string& text, uint64_t memory_bytes, bool ordered) {
  CAPTURE(text);
  CountingScratch scratch;
  Rows spilled = run_spilled(text, memory_bytes, scratch);
  CountingScratch unused;
  auto kept = run(text, context_with(unused, much));
  REQUIRE(kept.ok());
  REQUIRE(unused.written == 0);
  if (!ordered) {
    std::sort(spilled.begin(), spilled.end());
    std::sort(kept->begin(), kept->end());
  }
  CHECK(spilled.size() == kept->size());
  CHECK((spilled == *kept));  // not told: there are thousands
}

}  // namespace

TEST_CASE("what is sorted on disk comes in the order of what is sorted in memory") {
  const std::string pattern = "{ ?s :number ?n OPTIONAL { ?s :value ?v } }";
  for (const std::string order : {"?v", "DESC(?v) ?n", "?n", "DESC(?n)", "STR(?v)", "CONCAT(\"a\", STR(?v)) DESC(?s)",
                                  "ISIRI(?v)", "xsd:float(?n)", "(?n / 7)"}) {
    check_same("SELECT ?s ?v ?n " + pattern + " ORDER BY " + order, 1 << 18, true);
  }
}

TEST_CASE("runs that are too many to be merged at once are merged in several passes") {
  CountingScratch one_pass;
  CountingScratch several;
  const std::string text = "SELECT ?s ?n { ?s :number ?n } ORDER BY DESC(STR(?n))";
  const Rows rows = run_spilled(text, 1 << 20, one_pass);
  CHECK((rows == run_spilled(text, 20 << 10, several)));
  CHECK(several.written > one_pass.written * 3 / 2);
}

TEST_CASE("what has been read again counts no more against the limit on disk") {
  CountingScratch scratch;
  auto context = context_with(scratch, 20 << 10);
  const std::string text = "SELECT ?s ?n { ?s :number ?n } ORDER BY DESC(STR(?n))";
  REQUIRE(run(text, context).ok());
  REQUIRE(scratch.written > scratch.bytes_most);
  context.limits.spill_limit_bytes = scratch.bytes_most;
  CHECK(run(text, context).ok());
  context.limits.spill_limit_bytes = scratch.bytes_most - 1;
  CHECK_FALSE(run(text, context).ok());
}

TEST_CASE("the first rows in order are picked in memory, as long as they are few") {
  CountingScratch scratch;
  const std::string text = "SELECT ?s ?v { ?s :value ?v } ORDER BY ?v ?s LIMIT ";
  const auto few = run(text + "20 OFFSET 5", context_with(scratch, 1 << 19));
  REQUIRE(few.ok());
  CHECK(scratch.written == 0);
  CHECK(*few == *run(text + "20 OFFSET 5", context_with(scratch, much)));
  check_same(text + "3000", 1 << 18, true);
}

TEST_CASE("what is grouped by way of the disk has the same aggregates") {
  struct Case {
    const char* aggregate;
    uint64_t memory_kib;
  };
  // What texts and lists come to has to be in memory.
  for (const auto& [aggregate, memory_kib] :
       {Case{"COUNT(*)", 100}, Case{"COUNT(?v)", 100}, Case{"SUM(?n)", 200}, Case{"AVG(?n)", 300}, Case{"MIN(?v)", 100},
        Case{"MAX(?v)", 100}, Case{"SAMPLE(?v)", 100}, Case{"COUNT(DISTINCT ?n)", 400}, Case{"SUM(DISTINCT ?n)", 400},
        Case{"COUNT(DISTINCT *)", 600}, Case{"GROUP_CONCAT(?n; SEPARATOR=\",\")", 600},
        Case{"GROUP_CONCAT(DISTINCT ?v)", 800}, Case{"SUM(IF(EXISTS { ?s :value ?w }, ?n, 1))", 200}}) {
    check_same("SELECT ?g (" + std::string(aggregate) +
                   " AS ?a) { ?s :group ?g ; :number ?n OPTIONAL { ?s :value ?v } } GROUP BY ?g",
               memory_kib << 10, false);
  }
  check_same("SELECT ?s (COUNT(*) AS ?c) (SUM(?n) AS ?sum) { ?s :number ?n } GROUP BY ?s", 1 << 17, false);
  check_same("SELECT ?k ?g (MAX(?n) AS ?m) { ?s :number ?n ; :group ?g } GROUP BY (xsd:integer(?n / 3) AS ?k) ?g",
             1 << 19, false);
  check_same("SELECT ?g { ?s :group ?g ; :number ?n } GROUP BY ?g HAVING (SUM(?n) > 12000 && COUNT(*) < 5)", 200 << 10,
             false);
}

// All of them are there early, and what they keep grows until the last row.
TEST_CASE("groups that grow too large together go on one after the other") {
  const std::string pattern = "{ ?s ?p ?n FILTER(STR(?p) = STR(:number)) BIND(FLOOR(?n / 100) AS ?k) } GROUP BY ?k";
  check_same("SELECT ?k (COUNT(DISTINCT ?s) AS ?c) " + pattern, 250 << 10, false);
  check_same("SELECT ?k (GROUP_CONCAT(?n) AS ?c) (SAMPLE(?s) AS ?one) " + pattern, 250 << 10, false);
  // So small that parts are parted again.
  check_same("SELECT ?k (COUNT(DISTINCT ?s) AS ?c) " + pattern, 160 << 10, false);
}

TEST_CASE("one group that is too large is told") {
  CountingScratch scratch;
  const auto rows = run("SELECT (COUNT(DISTINCT ?s) AS ?c) { ?s :number ?n }", context_with(scratch, 200 << 10));
  REQUIRE_FALSE(rows.ok());
  CHECK(rows.error().kind == base::ErrorKind::ResourceExhausted);
  CHECK(scratch.written == 0);
}

TEST_CASE("DISTINCT by way of the disk keeps the order of the first appearances") {
  check_same("SELECT DISTINCT ?g ?n { ?s :group ?g ; :number ?n }", 100 << 10, true);
  check_same("SELECT DISTINCT ?v { ?s :value ?v } ORDER BY STR(?s)", 100 << 10, true);
  check_same("SELECT DISTINCT ?s { ?s ?p ?o }", 60 << 10, true);
}

TEST_CASE("the first rows of DISTINCT come before it has read all") {
  CountingScratch scratch;
  auto context = context_with(scratch, 60 << 10);
  auto query = sparql::parse_query(std::string(test::test_prefixes) + "SELECT DISTINCT ?s { ?s ?p ?o }");
  REQUIRE(query.ok());
  const auto solutions = exec::run_select(std::move(*query), context);
  REQUIRE(solutions.ok());
  CHECK((*solutions)->next().ok());
  CHECK(scratch.written == 0);
}

TEST_CASE("operators that spill above each other all get on") {
  check_same(
      "SELECT ?c ?g { { SELECT ?g (COUNT(*) AS ?c) { { SELECT DISTINCT ?s ?g ?n { ?s :group ?g ; :number ?n } } } "
      "GROUP BY ?g } } ORDER BY ?c STR(?g)",
      400 << 10, true);
  check_same("SELECT ?s ?v { { SELECT ?s ?v { ?s :value ?v } ORDER BY ?v } } ORDER BY STR(?v) ?s", 400 << 10, true);
}

TEST_CASE("nothing is left of a run that ends early") {
  CountingScratch scratch;
  auto context = context_with(scratch, 1 << 18);
  std::atomic<bool> cancelled = false;
  context.limits.cancelled = &cancelled;
  const char* texts[] = {"SELECT ?s ?n { ?s :number ?n } ORDER BY ?n",
                         "SELECT ?s (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?s",
                         "SELECT DISTINCT ?s ?p ?o { ?s ?p ?o }"};
  const auto start = [&](const char* text) {
    auto query = sparql::parse_query(std::string(test::test_prefixes) + text);
    REQUIRE(query.ok());
    auto solutions = exec::run_select(std::move(*query), context);
    REQUIRE(solutions.ok());
    return std::move(*solutions);
  };
  for (const char* text : texts) {
    CAPTURE(text);
    cancelled = false;
    auto solutions = start(text);
    while (scratch.written == 0) {
      const auto count = solutions->next();
      REQUIRE(count.ok());
      REQUIRE(*count > 0);
    }
    SECTION("abandoned") {}
    SECTION("cancelled") {
      cancelled = true;
      const auto next = solutions->next();
      REQUIRE_FALSE(next.ok());
      CHECK(next.error().kind == base::ErrorKind::Unavailable);
    }
    CHECK(scratch.open_files > 0);
    solutions.reset();
    CHECK(scratch.open_files == 0);
    scratch.written = 0;
  }
  SECTION("its limit on disk is reached") {
    context.limits.spill_limit_bytes = 50 << 10;
    for (const char* text : texts) {
      const auto rows = run(text, context);
      REQUIRE_FALSE(rows.ok());
      CHECK(rows.error().kind == base::ErrorKind::ResourceExhausted);
      CHECK(rows.error().message ==
            "the query needs more than its limits of 0 MiB of memory and 0 MiB of temporary files");
    }
  }
  SECTION("the disk is full") {
    scratch.capacity = 50 << 10;
    for (const char* text : texts) {
      const auto rows = run(text, context);
      REQUIRE_FALSE(rows.ok());
      CHECK(rows.error().kind == base::ErrorKind::ResourceExhausted);
      CHECK(rows.error().message == "the disk is full");
    }
  }
  CHECK(scratch.open_files == 0);
}

TEST_CASE("without a place, or with none allowed, nothing goes to disk") {
  CountingScratch scratch;
  auto context = context_with(scratch, 1 << 17);
  SECTION("no place") { context.limits.scratch = nullptr; }
  SECTION("none allowed") { context.limits.spill_limit_bytes = 0; }
  for (const char* text :
       {"SELECT ?s ?n { ?s :number ?n } ORDER BY ?n", "SELECT ?s (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?s",
        "SELECT DISTINCT ?s ?p ?o { ?s ?p ?o }"}) {
    const auto rows = run(text, context);
    REQUIRE_FALSE(rows.ok());
    CHECK(rows.error().kind == base::ErrorKind::ResourceExhausted);
  }
  CHECK(scratch.written == 0);
}

TEST_CASE("a directory of temporary files shows nothing while one is used, and holds it") {
  const auto directory = std::filesystem::temp_directory_path() / "quadrille-spill-test";
  std::filesystem::create_directory(directory);
  base::TemporaryFiles files(directory, "query");
  auto context = engine().context();
  context.limits.scratch = &files;
  context.limits.memory_limit_bytes = 1 << 18;
  auto query = sparql::parse_query(std::string(test::test_prefixes) + "SELECT ?s ?n { ?s :number ?n } ORDER BY ?n ?s");
  REQUIRE(query.ok());
  const auto solutions = exec::run_select(std::move(*query), context);
  REQUIRE(solutions.ok());
  REQUIRE((*solutions)->next().ok());
  CHECK(std::filesystem::is_empty(directory));
  CHECK(*run("SELECT ?s ?n { ?s :number ?n } ORDER BY ?n ?s", context) ==
        *run("SELECT ?s ?n { ?s :number ?n } ORDER BY ?n ?s", engine().context()));
  std::filesystem::remove_all(directory);
  const auto rows = run("SELECT ?s ?n { ?s :number ?n } ORDER BY ?n ?s", context);
  REQUIRE_FALSE(rows.ok());
  CHECK(rows.error().kind == base::ErrorKind::IoFailure);
}

TEST_CASE("a profile says what went to disk") {
  CountingScratch scratch;
  auto query = sparql::parse_query(std::string(test::test_prefixes) + "SELECT ?s ?n { ?s :number ?n } ORDER BY ?n");
  REQUIRE(query.ok());
  const auto text = exec::profile(std::move(*query), context_with(scratch, 1 << 18));
  REQUIRE(text.ok());
  CAPTURE(*text);
  CHECK(text->find("MiB to disk") > text->find("OrderBy"));
  CHECK(text->find("MiB to disk") < text->find("Scan"));
}
