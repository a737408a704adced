// The tables of docs/policies.md: what each built-in policy makes of the same histories, computed by real sites. A line
// that is not in the document fails, and shows what it should be.
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "tests/reconcile/site_fixture.h"

using namespace quadrille;
using test::Cluster;
using test::Triple;

namespace {

// One site's write of the cell. Each comes a second after the one before it, and neither site hears of the other.
struct Step {
  size_t site;        // 0: ams, 1: nyc
  std::string value;  // empty: it deletes what is there
};
struct History {
  std::string before;  // what both hold; empty: nothing
  std::vector<Step> steps;
};

const std::vector<History> value_histories = {
    {"10", {{0, "12"}, {1, "15"}}},
    {"10", {{0, ""}, {1, "12"}}},
    {"10", {{0, "12"}, {1, ""}}},
    {"", {{0, "5"}, {1, "5"}}},
    {"10", {{0, "12"}, {1, "11"}, {0, "9"}}},
};
const std::vector<History> quad_histories = {
    {"10", {{0, ""}, {1, "10"}}}, {"10", {{0, "10"}, {1, ""}}},          {"", {{0, ""}, {1, "10"}}},
    {"10", {{0, ""}, {1, ""}}},   {"10", {{0, ""}, {1, ""}, {0, "10"}}},
};

void write(test::TestSite& site, const std::string& value, const std::string& other) {
  if (value.empty()) {
    site.erase(Triple{"s", "v", other});
  } else {
    site.insert(Triple{"s", "v", value});
  }
}

// What both sites hold in the end.
std::string outcome(const History& history, const std::vector<reconcile::AssignmentRule>& rules,
                    const std::string& quads) {
  Cluster cluster(2, rules, quads);
  if (!history.before.empty()) cluster[0].insert(Triple{"s", "v", history.before});
  cluster.exchange();
  for (const Step& step : history.steps) {
    for (auto& site : cluster.sites) site->clock.now += 1000;
    write(cluster[step.site], step.value, rules.empty() ? "10" : history.before);
  }
  cluster.exchange();
  const auto values = cluster[0].values("s", "v");
  cluster.quiet();
  CHECK(cluster[0].values("s", "v") == values);
  CHECK(cluster[0].text() == cluster[1].text());
  if (!rules.empty() || values.empty()) {
    std::string text;
    for (const auto& value : values) text += (text.empty() ? "" : ", ") + value;
    return text.empty() ? "nothing" : text;
  }
  return "there";
}

std::string line_of(const std::string& policy, bool of_values) {
  std::string line = "| `" + policy + "` |";
  for (const History& history : of_values ? value_histories : quad_histories) {
    const auto rules =
        of_values ? std::vector{test::single_value("v", policy)} : std::vector<reconcile::AssignmentRule>{};
    const std::string text = outcome(history, rules, of_values ? "add-wins" : policy);
    line += " " + (!of_values && text == "nothing" ? std::string("gone") : text) + " |";
  }
  return line;
}

}  // namespace

TEST_CASE("the tables of docs/policies.md say what each built-in policy does with the same five histories") {
  std::ifstream file(QUADRILLE_SOURCE_DIR "/docs/policies.md");
  const std::string document{std::istreambuf_iterator<char>(file), {}};
  const auto registry = policies::built_in();
  for (const std::string& name : registry.names()) {
    const std::string policy = name == "site-priority" ? "site-priority(nyc, ams)" : name;
    for (const auto kind : {log::CellKind::Value, log::CellKind::Quad}) {
      if (!registry.find(name)->decides(kind)) continue;
      const std::string line = line_of(policy, kind == log::CellKind::Value);
      INFO("docs/policies.md lacks the line: " << line);
      CHECK(document.find(line + "\n") != std::string::npos);
    }
  }
}
