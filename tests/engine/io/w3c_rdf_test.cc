// The W3C suites of the four RDF 1.1 formats that Quadrille reads.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "engine/io/rdf_parser.h"
#include "tests/support/isomorphism.h"
#include "tests/support/seeded_random.h"
#include "tests/support/w3c_suite.h"

using namespace quadrille;

namespace {

std::string describe(const base::Error& error) {
  const base::Position position = error.position.value_or(base::Position{});
  return fmt::format("{}:{}: {}", position.line, position.column, error.message);
}

void run_test(const test::W3cSuite& suite, const test::W3cTest& entry, test::W3cTally& tally) {
  if (!entry.action) return tally.fail(entry, "has no action");
  const auto parsed = suite.read_rdf(*entry.action, 1);
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

void run_suite(const std::string& name, int expected) {
  const auto suite = test::W3cSuite::find();
  if (!suite) {
    fmt::print("{}: skipped, ../shared/rdf-tests is not there\n", name);
    return;
  }
  test::W3cTally tally(name);
  for (const test::W3cTest& entry : suite->read_manifest("rdf/rdf11/" + name + "/manifest.ttl")) {
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
