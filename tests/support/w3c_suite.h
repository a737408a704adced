// The W3C test suites (https://github.com/w3c/rdf-tests), where a checkout lies beside the project, in
// ../shared/rdf-tests.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/rdf_parser.h"
#include "tests/support/graph.h"

namespace quadrille::test {

// One entry of a manifest. What lies deeper (qt:query, ut:data ...) is asked of the manifest's graph.
struct W3cTest {
  model::Term id;
  std::string name;
  std::string type;                   // the local name of its rdf:type: "TestTurtleEval"
  std::optional<model::Term> action;  // an IRI, or a node with properties
  std::optional<model::Term> result;
  std::shared_ptr<const Graph> manifest;
};

// Files of the suite are known by the IRIs under which the W3C publishes them, so relative IRIs resolve as expected.
class W3cSuite {
 public:
  // Nothing if there is no checkout.
  static std::optional<W3cSuite> find();

  // The IRI of a file, by its path below the checkout, and the file of an IRI.
  std::string iri_of(std::string_view path) const;
  std::filesystem::path file_of(const model::Term& iri) const;

  // The entries of a manifest and of those it includes. A manifest that cannot be read fails the running test.
  std::vector<W3cTest> read_manifest(std::string_view path) const;

  // The text of a file.
  std::string read_text(const model::Term& iri) const;
  // Parses a file by its ending, with its own IRI as base.
  base::Result<std::vector<model::TermQuad>> read_rdf(const model::Term& iri, uint64_t seed = 1) const;

 private:
  explicit W3cSuite(std::filesystem::path root) : root_(std::move(root)) {}
  void read_manifest(const model::Term& iri, std::vector<W3cTest>& out) const;
  std::filesystem::path root_;
};

// Counts a suite's outcomes, and prints them as "rdf-turtle: 313 passed, 0 failed, 0 skipped".
class W3cTally {
 public:
  explicit W3cTally(std::string suite) : suite_(std::move(suite)) {}
  void pass() { ++passed_; }
  // Prints the test and the reason.
  void fail(const W3cTest& test, std::string_view why);
  void skip() { ++skipped_; }
  int passed() const noexcept { return passed_; }
  int failed() const noexcept { return failed_; }
  void print() const;

 private:
  std::string suite_;
  int passed_ = 0;
  int failed_ = 0;
  int skipped_ = 0;
};

}  // namespace quadrille::test
