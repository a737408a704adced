#include "tests/engine/exec/random_queries.h"

#include "tests/engine/exec/engine_fixture.h"
#include "tests/engine/exec/naive_evaluator.h"
#include "tests/engine/exec/service_fixture.h"
#include "tests/support/task_runners.h"

namespace quadrille::test {
namespace {

std::string few_triples(SeededRandom& random) {
  std::string text;
  const uint64_t count = 8 + random.below(12);
  for (uint64_t i = 0; i < count; ++i) {
    text += ":n" + std::to_string(random.below(4)) + " :p" + std::to_string(random.below(2)) + " ";
    text += random.below(3) == 0 ? std::to_string(random.below(5)) : ":n" + std::to_string(random.below(4));
    text += " .\n";
  }
  return text;
}

// Groups as text. Few names and few variables, so that everything meets.
class QueryMaker {
 public:
  QueryMaker(SeededRandom& random, RandomQueryKind kind)
      : random_(random), is_federated_(kind == RandomQueryKind::Federated) {}

  std::string query() {
    const std::string pattern = group(3);
    if (random_.below(8) == 0) return grouped(pattern);
    return (random_.below(4) == 0 ? "SELECT DISTINCT" : "SELECT") + std::string(" ?a ?b ?c ?d ?e { ") + pattern + " }";
  }

 private:
  std::string grouped(const std::string& pattern) {
    const char* aggregates[] = {"COUNT(*)", "COUNT(?b)", "COUNT(DISTINCT ?b)", "SUM(?b)"};
    const std::string key = variable();
    return "SELECT " + key + " (" + aggregates[random_.below(4)] + " AS ?e) { " + pattern + " } GROUP BY " + key;
  }

  std::string variable() { return std::string("?") + static_cast<char>('a' + random_.below(4)); }
  std::string node() { return ":n" + std::to_string(random_.below(4)); }
  std::string place() { return random_.below(3) == 0 ? node() : variable(); }

  std::string triple() {
    const std::string predicate = random_.below(8) == 0 ? variable() : ":p" + std::to_string(random_.below(2));
    const std::string object = random_.below(8) == 0 ? std::to_string(random_.below(5)) : place();
    return place() + " " + predicate + " " + object + " . ";
  }

  std::string condition(int depth) {
    switch (depth > 0 ? random_.below(11) : random_.below(7)) {
      case 0: return "bound(" + variable() + ")";
      case 1: return "!bound(" + variable() + ")";
      case 2: return variable() + " = " + variable();
      case 3: return variable() + " != " + place();
      case 4: return variable() + " < " + std::to_string(random_.below(5));
      case 5: return "(" + condition(0) + " || " + condition(0) + ")";
      case 6: return "(" + condition(0) + " && " + condition(0) + ")";
      case 9: return "strlen(str(" + variable() + ")) > " + std::to_string(random_.below(24));
      case 10: return "<http://www.w3.org/2001/XMLSchema#float>(str(" + variable() + ")) < 3";
      case 7: return "EXISTS { " + group(depth - 1) + "}";
      default: return "NOT EXISTS { " + group(depth - 1) + "}";
    }
  }

  std::string part(int depth) {
    switch (random_.below(depth > 0 ? 10 : 3)) {
      case 0:
      case 1: return triple();
      case 2: return triple() + triple();
      case 3:
        if (is_federated_) return "OPTIONAL { " + service(depth - 1) + "} ";
        [[fallthrough]];
      case 4: return "OPTIONAL { " + group(depth - 1) + "} ";
      case 5: return "{ " + group(depth - 1) + "} UNION { " + group(depth - 1) + "} ";
      case 6: return "MINUS { " + group(depth - 1) + "} ";
      case 7: return is_federated_ ? service(depth - 1) : "{ " + group(depth - 1) + "} ";
      case 8: {
        const std::string name = variable();
        return "{ SELECT " + name + " ?d { " + group(depth - 1) + "} } ";
      }
      default:
        return "VALUES (" + variable() + " ?e) { (" + node() + " UNDEF) (UNDEF " + node() + ") (" + node() + " " +
               node() + ") } ";
    }
  }

  std::string service(int depth) {
    return std::string(random_.below(3) == 0 ? "SERVICE SILENT" : "SERVICE") + " :endpoint { " + group(depth) + "} ";
  }

  std::string group(int depth) {
    std::string text = random_.below(6) == 0 ? "" : triple();
    const uint64_t parts = random_.below(3);
    for (uint64_t i = 0; i < parts; ++i) text += part(depth);
    if (random_.below(3) == 0) text += "FILTER(" + condition(depth) + ") ";
    return text;
  }

  SeededRandom& random_;
  const bool is_federated_;
};

Rows naive_rows(const NaiveEvaluator& naive, const sparql::Query& query) {
  Rows rows;
  for (const Solution& solution : naive.evaluate(*query.pattern)) {
    std::string line;
    for (const auto& variable : query.variables) {
      const auto entry = solution.find(variable.name);
      line += (line.empty() ? "" : "|") + (entry == solution.end() ? "-" : Engine::shown(entry->second));
    }
    rows.push_back(std::move(line));
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::string lines(const Rows& rows) {
  std::string text;
  for (const std::string& row : rows) text += "  " + row + "\n";
  return text;
}

// Where it is not `expected`, how it was asked and what it said.
std::string disagreement_of(Engine& engine, const std::string& text, const Rows& expected) {
  constexpr double never = 1e12;
  const plan::Tuning ways[] = {
      {},                         // as it is
      {never, 0, 0, 0, 0, 0, 0},  // reads patterns whole, also of others, searches for join orders,
                                  // evaluates EXISTS once
      {20, never, never, never, never, never, never},  // looks everything up
      {1e-3, 0, never, never, never, never, 2},        // looks up what one row needs, and goes on hashing
      {never, 0, 0, 0, 0, 0, 0, 0, 2},                 // reads whole, in morsels of two rows
      {1e-3, 4, 0, 0, 0, 0, 2, 0, 1},                  // looks up, then hashes, in morsels of one row
  };
  ShuffledTaskRunner tasks(3, text.size());
  engine.tasks = &tasks;
  for (const plan::Tuning& tuning : ways) {
    plan::PlanMemory memory;
    engine.tuning = tuning;
    engine.plan_memory = &memory;
    for (const char* time : {"planned anew", "as it was planned before"}) {
      auto found = engine.try_select(text);
      if (!found.ok()) return std::string(time) + ": " + found.error().message + "\n";
      std::sort(found->begin(), found->end());
      if (*found == expected) continue;
      return std::string(time) + ", look-ups cost " + std::to_string(tuning.cost_of_lookup) + ", morsels have " +
             std::to_string(tuning.rows_a_morsel) + " rows\nexpected\n" + lines(expected) + "found\n" + lines(*found);
    }
  }
  return {};
}

}  // namespace

RandomQueryOutcome try_random_query(uint64_t seed, RandomQueryKind kind) {
  SeededRandom random(seed);
  const std::string data = few_triples(random);
  const std::string text = QueryMaker(random, kind).query();
  Engine engine(data);
  LocalEndpoints endpoints;
  endpoints.add("http://example.org/endpoint", data);
  if (seed % 4 == 0) endpoints.take_no_values();
  engine.services = &endpoints;
  const auto query = sparql::parse_query(std::string(test_prefixes) + text);
  RandomQueryOutcome outcome;
  if (!query.ok()) return outcome;  // a VALUES or BIND that the grammar's notes forbid
  outcome.is_query = true;
  const Rows expected = naive_rows(NaiveEvaluator(engine.data.quads()), *query);
  const std::string found = disagreement_of(engine, text, expected);
  if (!found.empty()) outcome.disagreement = "seed " + std::to_string(seed) + "\n" + data + text + "\n" + found;
  return outcome;
}

}  // namespace quadrille::test
