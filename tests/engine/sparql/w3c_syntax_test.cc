// The W3C suites: every syntax test is accepted or refused as it says, and every query and update of the evaluation
// tests parses.
#include <catch2/catch.hpp>

#include <iostream>
#include <map>
#include <set>
#include <string>

#include "engine/sparql/parse.h"
#include "tests/support/w3c_suite.h"

using namespace quadrille;

namespace {

// Where a test's query or update stands; nothing if it has none (tests of protocols).
std::optional<model::Term> request_of(const test::W3cTest& entry) {
  if (!entry.action) return std::nullopt;
  for (const char* property : {"http://www.w3.org/2001/sw/DataAccess/tests/test-query#query",
                               "http://www.w3.org/2009/sparql/tests/test-update#request"}) {
    if (auto request = entry.manifest->object(*entry.action, property)) return request;
  }
  if (entry.type.find("SyntaxTest") != std::string::npos || entry.type == "QueryEvaluationTest") return entry.action;
  return std::nullopt;
}

// Empty: accepted; else why not. The grammar follows from the ending of the file: the type of a test may lie.
std::string refusal_of(const test::W3cSuite& suite, const model::Term& file) {
  const auto why = [](const auto& result) {
    if (result.ok()) return std::string();
    const auto& error = result.error();
    if (!error.position) return error.message;
    return std::to_string(error.position->line) + ":" + std::to_string(error.position->column) + ": " + error.message;
  };
  const std::string text = suite.read_text(file);
  if (file.text().ends_with(".ru")) return why(sparql::parse_update(text, file.text()));
  return why(sparql::parse_query(text, file.text()));
}

// Runs one test and counts it.
void run(const test::W3cSuite& suite, const test::W3cTest& entry, test::W3cTally& tally) {
  const auto request = request_of(entry);
  if (!request) {
    tally.skip();
    return;
  }
  const bool must_be_refused = entry.type.starts_with("Negative");
  const std::string refusal = refusal_of(suite, *request);
  if (refusal.empty() != must_be_refused) {
    tally.pass();
  } else {
    tally.fail(entry, refusal.empty() ? "accepted" : refusal);
  }
}

std::string folder_of(const test::W3cTest& entry) {
  const std::string& id = entry.id.text();
  const size_t end = id.rfind('/', id.find('#'));
  return id.substr(id.rfind('/', end - 1) + 1, end - id.rfind('/', end - 1) - 1);
}

// Runs all tests below a manifest; returns how many passed.
int run_manifest(const test::W3cSuite& suite, const std::string& version, std::string_view manifest) {
  std::map<std::string, test::W3cTally> tallies;
  for (const auto& entry : suite.read_manifest(manifest)) {
    const std::string name = version + "/" + folder_of(entry);
    run(suite, entry, tallies.try_emplace(name, name).first->second);
  }
  int passed = 0;
  for (const auto& [name, tally] : tallies) {
    tally.print();
    CHECK(tally.failed() == 0);
    passed += tally.passed();
  }
  return passed;
}

}  // namespace

TEST_CASE("the requests of the W3C suites are accepted and refused as they should be") {
  const auto suite = test::W3cSuite::find();
  if (!suite) {
    std::cout << "skipped: the W3C suites are not there\n";
    return;
  }
  CHECK(run_manifest(*suite, "sparql10", "sparql/sparql10/manifest.ttl") == 482);
  // All but the 50 tests of protocols, which have no request of their own.
  CHECK(run_manifest(*suite, "sparql11", "sparql/sparql11/manifest-all.ttl") == 575);
  CHECK(run_manifest(*suite, "sparql12", "sparql/sparql12/syntax/manifest.ttl") == 6);
}
