// The readers of expected answers: every result file of the W3C's SPARQL suites can be read, and survives our writers.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>

#include "engine/io/result_reader.h"
#include "engine/io/result_writer.h"
#include "tests/support/isomorphism.h"
#include "tests/support/random_terms.h"
#include "tests/support/result_files.h"
#include "tests/support/seeded_random.h"
#include "tests/support/w3c_suite.h"

using namespace quadrille;

namespace {

std::string written(const io::ResultSet& results, io::ResultFormat format) {
  io::StringSink sink;
  REQUIRE(io::write_result_set(results, *io::make_result_writer(format, sink)));
  return sink.take();
}

void check_round_trips(const io::ResultSet& results) {
  const auto json = io::read_json_results(written(results, io::ResultFormat::Json));
  const auto xml = test::read_xml_results(written(results, io::ResultFormat::Xml));
  REQUIRE(json);
  REQUIRE(xml);
  CHECK(json->rows == results.rows);
  CHECK(xml->rows == results.rows);
  CHECK(json->boolean == results.boolean);
  CHECK(xml->boolean == results.boolean);
  if (results.boolean) return;
  const auto tsv = test::read_tsv_results(written(results, io::ResultFormat::Tsv));
  REQUIRE(tsv);
  if (results.variables.size() > 1) CHECK(test::are_same_results(*tsv, results, true));
  const auto csv = test::read_csv_results(written(results, io::ResultFormat::Csv));
  REQUIRE(csv);
  CHECK(csv->rows.size() == results.rows.size());
}

}  // namespace

TEST_CASE("every answer in the W3C's SPARQL suites can be read, and survives our writers") {
  const auto suite = test::W3cSuite::find();
  if (!suite) {
    fmt::print("result files: skipped, ../shared/rdf-tests is not there\n");
    return;
  }
  int read = 0;
  for (const char* manifest : {"sparql/sparql10/manifest.ttl", "sparql/sparql11/manifest-all.ttl"}) {
    for (const test::W3cTest& entry : suite->read_manifest(manifest)) {
      if (!entry.result || !entry.result->is_iri() || entry.type == "UpdateEvaluationTest") continue;
      INFO(entry.result->text());
      const auto results = test::read_result_file(*suite, *entry.result);
      if (!results) {
        // CONSTRUCT and DESCRIBE: the answer is a graph.
        if (results.error().message.find("rs:ResultSet") == std::string::npos) FAIL(results.error().message);
        continue;
      }
      check_round_trips(*results);
      ++read;
    }
  }
  fmt::print("result files: {} read\n", read);
  CHECK(read > 500);
}

TEST_CASE("random answers survive JSON and TSV") {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    test::SeededRandom random(seed);
    io::ResultSet results;
    results.variables = {"a", "b", "c"};
    for (uint64_t rows = random.below(6); rows != 0; --rows) {
      io::ResultRow& row = results.rows.emplace_back(3);
      for (auto& value : row) {
        if (random.below(4) != 0)
          value = random.below(2) == 0 ? test::random_iri(random) : test::random_literal(random);
      }
    }
    const auto json = io::read_json_results(written(results, io::ResultFormat::Json));
    const auto tsv = test::read_tsv_results(written(results, io::ResultFormat::Tsv));
    INFO(seed);
    REQUIRE(json);
    REQUIRE(tsv);
    CHECK(json->rows == results.rows);
    CHECK(tsv->rows == results.rows);
  }
}

TEST_CASE("answers are compared as bags of rows, up to the labels of blank nodes") {
  using model::Term;
  const auto rows_of = [](std::vector<io::ResultRow> rows) {
    return io::ResultSet{{"x", "y"}, std::move(rows), std::nullopt};
  };
  const Term a = Term::blank_node("a"), b = Term::blank_node("b"), one = Term::literal("1");
  CHECK(test::are_same_results(rows_of({{a, one}, {b, a}}), rows_of({{a, b}, {b, one}}), false));
  CHECK_FALSE(test::are_same_results(rows_of({{a, one}, {b, a}}), rows_of({{a, b}, {b, one}}), true));
  CHECK_FALSE(test::are_same_results(rows_of({{a, one}, {b, a}}), rows_of({{a, a}, {b, one}}), false));
  CHECK_FALSE(test::are_same_results(rows_of({{one, one}, {one, one}}), rows_of({{one, one}}), false));
  CHECK(test::are_same_results(rows_of({{one, one}, {one, one}}), rows_of({{one, one}, {one, one}}), true));
}

TEST_CASE("graphs that differ in the way their blank nodes are joined are not isomorphic") {
  using model::Term;
  const auto cycle = [](std::vector<std::vector<int>> cycles) {
    std::vector<model::TermQuad> quads;
    for (const auto& nodes : cycles) {
      for (size_t i = 0; i < nodes.size(); ++i) {
        quads.push_back({Term::blank_node("n" + std::to_string(nodes[i])), Term::iri("urn:p"),
                         Term::blank_node("n" + std::to_string(nodes[(i + 1) % nodes.size()])), std::nullopt});
      }
    }
    return quads;
  };
  // Colour refinement alone cannot tell these apart.
  CHECK_FALSE(test::are_isomorphic(cycle({{1, 2, 3, 4, 5, 6}}), cycle({{1, 2, 3}, {4, 5, 6}})));
  CHECK(test::are_isomorphic(cycle({{1, 2, 3}, {4, 5, 6}}), cycle({{6, 1, 4}, {2, 5, 3}})));
}
