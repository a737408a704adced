// The W3C evaluation suites of SPARQL 1.0 and 1.1, query and update, on the sorted vectors of MemorySource.
#include <algorithm>
#include <iostream>
#include <map>
#include <set>

#include "engine/model/value.h"
#include "tests/engine/exec/service_fixture.h"
#include "tests/support/isomorphism.h"
#include "tests/support/result_files.h"
#include "tests/support/w3c_suite.h"

using namespace quadrille;
using model::Term;
using test::Engine;
using test::LocalEndpoints;
using test::W3cSuite;
using test::W3cTally;
using test::W3cTest;

namespace {

const std::string query_space = "http://www.w3.org/2001/sw/DataAccess/tests/test-query#";
const std::string update_space = "http://www.w3.org/2009/sparql/tests/test-update#";
const std::string label = "http://www.w3.org/2000/01/rdf-schema#label";
const std::string cardinality = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#resultCardinality";

std::string suite_of(const W3cTest& test) {
  const std::string& file = test.action->is_iri() ? test.action->text() : test.id.text();
  std::string from = file;
  if (!test.action->is_iri()) {
    for (const std::string& property : {query_space + "query", update_space + "request"}) {
      if (const auto query = test.manifest->object(*test.action, property)) from = query->text();
    }
  }
  const size_t end = from.rfind('/');
  const size_t begin = from.rfind("sparql1", end);
  return begin == std::string::npos ? from : from.substr(begin, end - begin);
}

// Numbers are the same when their values are; the suites do not agree on how "1.0" is written.
void normalise(std::optional<Term>& term) {
  if (!term || !term->is_literal()) return;
  const model::Value value = model::value_of(*term);
  if (value.is_numeric()) term = model::to_term(value);
}

void normalise(io::ResultSet& results) {
  for (auto& row : results.rows) {
    for (auto& cell : row) normalise(cell);
  }
}

void make_distinct(io::ResultSet& results) {
  std::sort(results.rows.begin(), results.rows.end());
  results.rows.erase(std::unique(results.rows.begin(), results.rows.end()), results.rows.end());
}

class Runner {
 public:
  explicit Runner(const W3cSuite& suite) : suite_(suite) {}

  // Nothing, or why the test failed.
  std::optional<std::string> run(const W3cTest& test) {
    if (test.type == "QueryEvaluationTest") return run_query(test);
    return run_update(test);
  }

 private:
  std::optional<std::string> load(Engine& engine, const Term& file, const std::optional<Term>& graph) {
    auto quads = suite_.read_rdf(file, ++seed_);
    if (!quads.ok()) return file.text() + ": " + quads.error().message;
    for (model::TermQuad& quad : *quads) {
      if (graph) quad.graph = graph;
      engine.data.add(quad);
    }
    return std::nullopt;
  }

  // qt:data, qt:graphData, ut:data, ut:graphData of a node.
  std::optional<std::string> load_all(Engine& engine, const W3cTest& test, const Term& node, const std::string& space) {
    for (const Term& file : test.manifest->objects(node, space + "data")) {
      if (auto why = load(engine, file, std::nullopt)) return why;
    }
    for (const Term& entry : test.manifest->objects(node, space + "graphData")) {
      const auto file = test.manifest->object(entry, space + "graph");
      const auto name = test.manifest->object(entry, label);
      if (auto why = load(engine, file ? *file : entry, name ? Term::iri(name->text()) : entry)) return why;
    }
    return std::nullopt;
  }

  // qt:serviceData: what the endpoints of SERVICE have.
  std::optional<std::string> load_endpoints(LocalEndpoints& endpoints, const W3cTest& test) {
    for (const Term& entry : test.manifest->objects(*test.action, query_space + "serviceData")) {
      Engine& endpoint = endpoints.add(test.manifest->object(entry, query_space + "endpoint")->text());
      if (auto why = load_all(endpoint, test, entry, query_space)) return why;
    }
    return std::nullopt;
  }

  std::optional<std::string> run_query(const W3cTest& test) {
    LocalEndpoints endpoints;
    Engine engine;
    engine.services = &endpoints;
    const bool has_data = !test.action->is_iri();
    const auto file = has_data ? test.manifest->object(*test.action, query_space + "query") : test.action;
    if (has_data) {
      if (auto why = load_all(engine, test, *test.action, query_space)) return why;
      if (auto why = load_endpoints(endpoints, test)) return why;
    }
    auto query = sparql::parse_query(suite_.read_text(*file), file->text());
    if (!query.ok()) return "parser: " + query.error().message;
    std::set<Term> loaded;
    if (has_data) {
      for (const Term& graph : test.manifest->objects(*test.action, query_space + "graphData")) loaded.insert(graph);
    }
    for (const auto* graphs : {&query->dataset.default_graphs, &query->dataset.named_graphs}) {
      for (const Term& graph : *graphs) {
        if (!loaded.insert(graph).second || !std::filesystem::exists(suite_.file_of(graph))) continue;
        if (auto why = load(engine, graph, graph)) return why;
      }
    }
    if (query->form == sparql::QueryForm::Construct || query->form == sparql::QueryForm::Describe) {
      return compare_graph(engine, test, std::move(*query));
    }
    return compare_results(engine, test, std::move(*query));
  }

  std::optional<std::string> compare_graph(Engine& engine, const W3cTest& test, sparql::Query query) {
    const auto triples = exec::run_graph_query(std::move(query), engine.context());
    if (!triples.ok()) return triples.error().message;
    std::vector<model::TermQuad> found;
    std::vector<model::TermQuad> some;
    do {
      if (const auto more = (*triples)->next(some); !more.ok()) return more.error().message;
      found.insert(found.end(), some.begin(), some.end());
    } while (!some.empty());
    const auto expected = suite_.read_rdf(*test.result, ++seed_);
    if (!expected.ok()) return expected.error().message;
    if (test::are_isomorphic(found, *expected)) return std::nullopt;
    return "found " + std::to_string(found.size()) + " triples, expected " + std::to_string(expected->size());
  }

  static base::Result<io::ResultSet> run_select(Engine& engine, sparql::Query query) {
    io::ResultSet results;
    if (query.form == sparql::QueryForm::Ask) {
      QUADRILLE_ASSIGN(results.boolean, exec::run_ask(std::move(query), engine.context()));
      return results;
    }
    QUADRILLE_ASSIGN(const auto solutions, exec::run_select(std::move(query), engine.context()));
    results.variables = solutions->variables();
    for (;;) {
      QUADRILLE_ASSIGN(const size_t rows, solutions->next());
      if (rows == 0) return results;
      for (size_t row = 0; row < rows; ++row) {
        io::ResultRow& cells = results.rows.emplace_back();
        for (size_t i = 0; i < results.variables.size(); ++i) cells.push_back(solutions->term(row, i));
      }
    }
  }

  std::optional<std::string> compare_results(Engine& engine, const W3cTest& test, sparql::Query query) {
    auto found = run_select(engine, std::move(query));
    if (!found.ok()) return found.error().message;
    auto expected = test::read_result_file(suite_, *test.result);
    if (!expected.ok()) return expected.error().message;
    normalise(*found);
    normalise(*expected);
    const auto lax = test.manifest->object(test.id, cardinality);
    if (lax && lax->text().ends_with("LaxCardinality")) {
      make_distinct(*found);
      make_distinct(*expected);
    }
    const bool ordered = suite_of(test).ends_with("/sort");
    if (test::are_same_results(*found, *expected, ordered)) return std::nullopt;
    if (expected->boolean) return "found another boolean";
    std::string why =
        "found " + std::to_string(found->rows.size()) + " rows, expected " + std::to_string(expected->rows.size());
    const auto show = [&](const char* title, const io::ResultSet& results) {
      for (size_t i = 0; i < std::min<size_t>(results.rows.size(), 6); ++i) {
        why += std::string("\n      ") + title;
        for (const auto& cell : results.rows[i]) why += " | " + (cell ? model::to_ntriples(*cell) : "-");
      }
    };
    show("found   ", *found);
    show("expected", *expected);
    return why;
  }

  std::optional<std::string> run_update(const W3cTest& test) {
    Engine engine;
    if (auto why = load_all(engine, test, *test.action, update_space)) return why;
    const auto file = test.manifest->object(*test.action, update_space + "request");
    const auto update = sparql::parse_update(suite_.read_text(*file), file->text());
    if (!update.ok()) return "parser: " + update.error().message;
    exec::UpdateContext context;
    context.limits = engine.limits();
    const auto report = exec::run_update(*update, engine.data, context);
    if (!report.ok()) return report.error().message;
    Engine expected;
    if (auto why = load_all(expected, test, *test.result, update_space)) return why;
    const auto found_quads = engine.data.quads();
    const auto expected_quads = expected.data.quads();
    if (test::are_isomorphic(found_quads, expected_quads)) return std::nullopt;
    return "found " + std::to_string(found_quads.size()) + " quads, expected " + std::to_string(expected_quads.size());
  }

  const W3cSuite& suite_;
  uint64_t seed_ = 0;
};

void run_manifests(std::initializer_list<std::string_view> manifests) {
  const auto suite = W3cSuite::find();
  if (!suite) {
    std::cout << "skipped: no W3C suites beside the project\n";
    return;
  }
  std::map<std::string, W3cTally> tallies;
  Runner runner(*suite);
  int failed = 0;
  for (std::string_view manifest : manifests) {
    for (const W3cTest& test : suite->read_manifest(manifest)) {
      if (test.type != "QueryEvaluationTest" && test.type != "UpdateEvaluationTest") continue;
      const std::string name = suite_of(test);
      W3cTally& tally = tallies.try_emplace(name, name).first->second;
      const auto why = runner.run(test);
      if (!why) {
        tally.pass();
      } else {
        tally.fail(test, *why);
        ++failed;
      }
    }
  }
  for (const auto& [name, tally] : tallies) tally.print();
  CHECK(failed == 0);
}

}  // namespace

TEST_CASE("the engine passes the W3C evaluation tests of SPARQL 1.0") {
  run_manifests({"sparql/sparql10/manifest-evaluation.ttl"});
}

TEST_CASE("the engine passes the W3C evaluation tests of SPARQL 1.1 Query") {
  run_manifests({"sparql/sparql11/manifest-sparql11-query.ttl", "sparql/sparql11/manifest-sparql11-results.ttl",
                 "sparql/sparql11/manifest-sparql11-fed.ttl"});
}

TEST_CASE("the engine passes the W3C evaluation tests of SPARQL 1.1 Update") {
  run_manifests({"sparql/sparql11/manifest-sparql11-update.ttl"});
}
