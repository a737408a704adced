// The W3C suites of the RDF 1.1 formats that Quadrille reads.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>

#include "engine/io/rdf_parser.h"
#include "engine/io/rdf_xml_parser.h"
#include "tests/support/isomorphism.h"
#include "tests/support/seeded_random.h"
#include "tests/support/w3c_suite.h"

using namespace quadrille;

namespace {

std::string describe(const base::Error& error) {
  const base::Position position = error.position.value_or(base::Position{});
  return fmt::format("{}:{}: {}", position.line, position.column, error.message);
}

// The suite's own reader of RDF/XML serves for results; what is tested is ours.
base::Result<std::vector<model::TermQuad>> read(const test::W3cSuite& suite, const model::Term& iri) {
  if (!iri.text().ends_with(".rdf")) return suite.read_rdf(iri, 1);
  test::SeededRandom random(1);
  model::BlankNodeScope blank_nodes(random);
  io::ParseOptions options;
  options.base_iri = iri.text();
  return io::parse_rdf_text(io::RdfFormat::RdfXml, suite.read_text(iri), options, blank_nodes);
}

void run_test(const test::W3cSuite& suite, const test::W3cTest& entry, test::W3cTally& tally) {
  if (!entry.action) return tally.fail(entry, "has no action");
  const auto parsed = read(suite, *entry.action);
  if (entry.type.ends_with("NegativeSyntax")) {
    if (parsed) return tally.fail(entry, "was accepted");
    if (!parsed.error().position) return tally.fail(entry, "has an error without a position");
    return tally.pass();
  }
  if (!parsed) return tally.fail(entry, describe(parsed.error()));
  if (entry.type.ends_with("Eval")) {
    if (!entry.result) return tally.fail(entry, "has no result");
    const auto expected = suite.read_rdf(*entry.result, 2);
    if (!expected) return tally.fail(entry, "result: " + describe(expected.error()));
    if (!test::are_isomorphic(*parsed, *expected)) return tally.fail(entry, "gave other quads");
    return tally.pass();
  }
  if (!entry.type.ends_with("PositiveSyntax")) return tally.fail(entry, "is of the unknown type " + entry.type);
  tally.pass();
}

// By name, with the reason.
const std::map<std::string, std::string> skipped = {
    {"rdfms-xmllang-test006", "Raptor 2.0.15 loses xml:lang on properties that are written as attributes"}};

void run_suite(const std::string& name, int expected) {
  const auto suite = test::W3cSuite::find();
  if (!suite) {
    fmt::print("{}: skipped, ../shared/rdf-tests is not there\n", name);
    return;
  }
  test::W3cTally tally(name);
  for (const test::W3cTest& entry : suite->read_manifest("rdf/rdf11/" + name + "/manifest.ttl")) {
    if (const auto reason = skipped.find(entry.name); reason != skipped.end()) {
      fmt::print("{}: skipped {}: {}\n", name, entry.name, reason->second);
      tally.skip();
      continue;
    }
    run_test(*suite, entry, tally);
  }
  tally.print();
  CHECK(tally.failed() == 0);
  CHECK(tally.passed() == expected);
}

}  // namespace

TEST_CASE("all W3C tests of N-Triples pass") { run_suite("rdf-n-triples", 70); }
TEST_CASE("all W3C tests of N-Quads pass") { run_suite("rdf-n-quads", 87); }
TEST_CASE("all W3C tests of Turtle pass") { run_suite("rdf-turtle", 313); }
TEST_CASE("all W3C tests of TriG pass") { run_suite("rdf-trig", 356); }
TEST_CASE("all W3C tests of RDF/XML pass but one") {
  if (io::reads_rdf_xml()) {
    run_suite("rdf-xml", 165);
  } else {
    fmt::print("rdf-xml: skipped, this build was made without Raptor\n");
  }
}
