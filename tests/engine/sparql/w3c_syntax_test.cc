// The W3C suites of ../shared/rdf-tests: every syntax test must be accepted or refused as it says, and every query and
// update of the evaluation tests must parse.
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "engine/sparql/parse.h"

namespace {

namespace fs = std::filesystem;

const fs::path suites = fs::path(QUADRILLE_SOURCE_DIR) / ".." / "shared" / "rdf-tests" / "sparql";

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Outcome {
  bool accepted = false;
  std::string message;
};

// The grammar follows from the ending of the file: the type of a test may lie.
Outcome parse(const fs::path& file) {
  const std::string text = read_file(file);
  const std::string base = "http://example.org/tests/" + file.filename().string();
  const auto outcome = [](const auto& result) {
    if (result.ok()) return Outcome{true, {}};
    const auto& position = *result.error().position;
    return Outcome{
        false, std::to_string(position.line) + ":" + std::to_string(position.column) + ": " + result.error().message};
  };
  if (file.extension() == ".ru") return outcome(quadrille::sparql::parse_update(text, base));
  return outcome(quadrille::sparql::parse_query(text, base));
}

struct SyntaxTest {
  fs::path file;
  bool is_positive;
};

// Each entry of these manifests says its type before its action.
std::vector<SyntaxTest> syntax_tests(const fs::path& folder) {
  std::vector<SyntaxTest> tests;
  const std::string manifest = read_file(folder / "manifest.ttl");
  const std::regex entry(R"(mf:(Positive|Negative)(Update)?SyntaxTest(11)?\b|mf:action\s*<([^>]*)>)");
  std::string polarity;
  for (std::sregex_iterator at(manifest.begin(), manifest.end(), entry), end; at != end; ++at) {
    if ((*at)[1].matched) {
      polarity = (*at)[1].str();
    } else if (!polarity.empty()) {
      tests.push_back({folder / (*at)[4].str(), polarity == "Positive"});
      polarity.clear();
    }
  }
  return tests;
}

struct Suite {
  const char* folder;
  size_t tests;
};

constexpr Suite syntax_suites[] = {
    {"sparql10/syntax-sparql1", 81},  {"sparql10/syntax-sparql2", 53}, {"sparql10/syntax-sparql3", 51},
    {"sparql10/syntax-sparql4", 12},  {"sparql10/syntax-sparql5", 2},  {"sparql11/syntax-query", 94},
    {"sparql11/syntax-update-1", 54}, {"sparql11/syntax-update-2", 1}, {"sparql11/syntax-fed", 3},
    {"sparql11/aggregates", 5},       {"sparql11/construct", 2},       {"sparql11/delete-insert", 8},
    {"sparql11/grouping", 2},         {"sparql12/syntax", 6},
};

}  // namespace

TEST_CASE("the W3C syntax tests are accepted and refused as they should be") {
  if (!fs::exists(suites)) {
    std::cout << "skipped: " << suites << " is not there\n";
    return;
  }
  for (const auto& suite : syntax_suites) {
    const auto tests = syntax_tests(suites / suite.folder);
    CHECK(tests.size() == suite.tests);
    size_t passed = 0;
    for (const auto& test : tests) {
      const Outcome outcome = parse(test.file);
      if (outcome.accepted == test.is_positive) {
        ++passed;
      } else {
        UNSCOPED_INFO(test.file.filename() << (test.is_positive ? ": refused: " + outcome.message : ": accepted"));
      }
    }
    std::cout << suite.folder << ": " << passed << " passed, " << tests.size() - passed << " failed, 0 skipped\n";
    CHECK(passed == tests.size());
  }
}

TEST_CASE("every query and update of the W3C evaluation tests parses") {
  if (!fs::exists(suites)) {
    std::cout << "skipped: " << suites << " is not there\n";
    return;
  }
  std::set<fs::path> negative;
  for (const auto& suite : syntax_suites) {
    for (const auto& test : syntax_tests(suites / suite.folder)) {
      if (!test.is_positive) negative.insert(test.file);
    }
  }
  std::vector<fs::path> files;
  for (const char* part : {"sparql10", "sparql11"}) {
    for (const auto& entry : fs::recursive_directory_iterator(suites / part)) {
      const auto extension = entry.path().extension();
      if ((extension != ".rq" && extension != ".ru") || negative.contains(entry.path())) continue;
      // Some folders still hold files of older drafts, which no manifest names.
      const std::string manifest = read_file(entry.path().parent_path() / "manifest.ttl");
      if (manifest.find("<" + entry.path().filename().string() + ">") != std::string::npos) {
        files.push_back(entry.path());
      }
    }
  }
  std::sort(files.begin(), files.end());
  size_t passed = 0;
  for (const auto& file : files) {
    const Outcome outcome = parse(file);
    if (outcome.accepted) {
      ++passed;
    } else {
      UNSCOPED_INFO(file.lexically_relative(suites) << ": " << outcome.message);
    }
  }
  std::cout << "files of evaluation tests: " << passed << " parsed, " << files.size() - passed << " failed\n";
  CHECK(passed == files.size());
}
