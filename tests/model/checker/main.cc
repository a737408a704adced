// Tries all that may happen between a few sites, and says what it tried.
//
//   model_check                     all scopes, at full size: some minutes
//   model_check --short             the size of the test suite
//   model_check --scope "a join"    one scope; --policy NAME for one policy alone
//   model_check --broken RULE       with a rule broken on purpose: prints the shortest story of what it leads to
//
// Ends with 1 if something is wrong, and with a broken rule if nothing is.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>

#include "tests/model/checker/explorer.h"
#include "tests/model/checker/scopes.h"
#include "tests/model/checker/story.h"

namespace {

using namespace quadrille::model_check;

struct Wanted {
  bool is_short = false;
  std::string scope;
  std::string policy;
  std::string broken;
  uint64_t states_max = 60'000'000;
  int transactions = -1;
  int heartbeats = -1;
};

std::string names_of(const std::vector<ModelPolicy>& policies) {
  std::string names;
  for (const ModelPolicy policy : policies) names += fmt::format("{}{}", names.empty() ? "" : ", ", name_of(policy));
  return names;
}

// False: there was nothing to try.
bool narrow(Setting& setting, const Wanted& wanted) {
  if (!wanted.scope.empty() && wanted.scope != setting.name) return false;
  if (!wanted.policy.empty()) {
    std::erase_if(setting.policies, [&](ModelPolicy policy) { return name_of(policy) != wanted.policy; });
  }
  if (wanted.transactions >= 0) setting.transactions = static_cast<uint8_t>(wanted.transactions);
  if (wanted.heartbeats >= 0) setting.heartbeats = static_cast<uint8_t>(wanted.heartbeats);
  return !setting.policies.empty();
}

// Prints a line, and the story if there is one.
Finding try_out(const Setting& setting, uint64_t states_max) {
  const auto start = std::chrono::steady_clock::now();
  const System system(setting);
  Finding finding = explore(system, states_max);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  const Coverage& covered = finding.coverage;
  fmt::print("{:32} {:2} {:2} {:12} {:13} {:10} {:10} {:6} {:7.1f}  {}{}\n", setting.name, setting.transactions,
             setting.heartbeats, covered.states, covered.transitions, covered.ends, covered.histories,
             covered.longest_story, took.count(), names_of(setting.policies),
             covered.is_complete ? "" : " (stopped at the limit)");
  std::fflush(stdout);
  if (finding.violation) fmt::print("{}", tell(system, *finding.violation));
  return finding;
}

int try_broken_rules(const Wanted& wanted) {
  bool is_each_found = true;
  for (const BrokenRule rule : all_broken_rules()) {
    if (wanted.broken != "all" && wanted.broken != name_of(rule)) continue;
    const Finding finding = try_out(scope_of(rule), wanted.states_max);
    is_each_found = is_each_found && finding.violation.has_value();
  }
  return is_each_found ? 0 : 1;
}

int try_scopes(const Wanted& wanted) {
  std::map<std::string, uint64_t> states_by_policy;
  uint64_t states = 0;
  uint64_t transitions = 0;
  bool is_wrong = false;
  for (Setting setting : scopes(wanted.is_short ? Size::Short : Size::Full)) {
    if (!narrow(setting, wanted)) continue;
    const Finding finding = try_out(setting, wanted.states_max);
    is_wrong = is_wrong || finding.violation || !finding.coverage.is_complete;
    states += finding.coverage.states;
    transitions += finding.coverage.transitions;
    for (const ModelPolicy policy : setting.policies) {
      states_by_policy[std::string(name_of(policy))] += finding.coverage.states;
    }
  }
  for (const auto& [policy, count] : states_by_policy) fmt::print("{:20} {:12} states\n", policy, count);
  fmt::print("{} states, {} transitions, {}\n", states, transitions,
             is_wrong ? "something is wrong" : "in each all is as it should be");
  return is_wrong ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Tries all that may happen between a few sites");
  Wanted wanted;
  std::vector<std::string> rules{"all"};
  for (const BrokenRule rule : all_broken_rules()) rules.emplace_back(name_of(rule));
  app.add_flag("--short", wanted.is_short, "the size of the test suite");
  app.add_option("--scope", wanted.scope, "one scope alone");
  app.add_option("--policy", wanted.policy, "one policy alone");
  app.add_option("--broken", wanted.broken, "a rule to break, or all: each alone")->check(CLI::IsMember(rules));
  app.add_option("--transactions", wanted.transactions, "instead of the scope's own number")->check(CLI::Range(0, 5));
  app.add_option("--heartbeats", wanted.heartbeats, "instead of the scope's own number")->check(CLI::Range(0, 6));
  app.add_option("--states-max", wanted.states_max, "where to give up a scope");
  CLI11_PARSE(app, argc, argv);
  fmt::print("{:32} {:2} {:2} {:>12} {:>13} {:>10} {:>10} {:>6} {:>7}  {}\n", "scope", "tx", "hb", "states",
             "transitions", "ends", "histories", "depth", "seconds", "policies");
  return wanted.broken.empty() ? try_scopes(wanted) : try_broken_rules(wanted);
}
