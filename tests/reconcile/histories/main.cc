// Random histories over real stores, for as many seeds as one likes.
//
//   quadrille-fuzz-histories --seeds A..B [--quads P]... [--values P]... [--records P]... [--hot]
//                            [--steps N]
//
// Without policies each seed has others, of the built-in ones and of some that only tests know. Says at the end what it
// did; ends with 1 at the first seed that goes wrong, with the fewest steps that show it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>

#include "tests/reconcile/histories/random_history.h"
#include "tests/reconcile/test_policies.h"

namespace {

using namespace quadrille;

struct Wanted {
  uint32_t first = 0;
  uint32_t last = 0;
  test::HistorySetting setting;
  bool chooses_policies = true;
};

test::HistorySetting setting_of(uint32_t seed, const Wanted& wanted) {
  if (!wanted.chooses_policies) return wanted.setting;
  test::HistorySetting setting = test::random_setting(seed, test::sound_policies());
  setting.steps = wanted.setting.steps;
  return setting;
}

// The first so many steps of a history are the same whatever comes after them.
void report(uint32_t seed, test::HistorySetting setting, const std::string& trouble) {
  fmt::print("seed {}: {}\n  {}\n", seed, trouble, setting.describe());
  for (setting.steps = 1; setting.steps < test::history_steps_max; ++setting.steps) {
    const test::HistoryOutcome outcome = test::run_history(seed, setting);
    if (outcome.trouble.empty()) continue;
    fmt::print("  --seeds {}..{} --steps {}: {}\n", seed, seed, setting.steps, outcome.trouble);
    for (const std::string& line : outcome.story) fmt::print("    {}\n", line);
    return;
  }
}

void add(test::HistoryOutcome& all, const test::HistoryOutcome& one) {
  all.changesets += one.changesets;
  all.restarts += one.restarts;
  all.conflicts += one.conflicts;
  all.folded_in_between += one.folded_in_between;
  all.taken_in_steps += one.taken_in_steps;
  all.shared_commits += one.shared_commits;
  all.undone_commits += one.undone_commits;
  all.assignments += one.assignments;
  all.refused += one.refused;
  for (const auto& [policy, count] : one.conflicts_by_policy) all.conflicts_by_policy[policy] += count;
}

int run(const Wanted& wanted) {
  test::HistoryOutcome all;
  for (uint32_t seed = wanted.first;; ++seed) {
    const test::HistorySetting setting = setting_of(seed, wanted);
    const test::HistoryOutcome outcome = test::run_history(seed, setting);
    if (!outcome.trouble.empty()) {
      report(seed, setting, outcome.trouble);
      return 1;
    }
    add(all, outcome);
    if (seed == wanted.last) break;
  }
  fmt::print(
      "seeds {}..{}: {} changesets, {} conflicts, {} cells folded in between, {} changesets taken in steps, {} shared "
      "and {} undone commits, {} restarts, {} changes of policies, {} requests refused\n",
      wanted.first, wanted.last, all.changesets, all.conflicts, all.folded_in_between, all.taken_in_steps,
      all.shared_commits, all.undone_commits, all.restarts, all.assignments, all.refused);
  for (const auto& [policy, count] : all.conflicts_by_policy) fmt::print("  {:24} {} conflicts\n", policy, count);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Random histories over real stores");
  Wanted wanted;
  std::string seeds;
  std::vector<std::string> quads;
  std::vector<std::string> values;
  std::vector<std::string> records;
  app.add_option("--seeds", seeds, "A..B")->required();
  app.add_option("--quads", quads, "policies of quads, as in an assignment");
  app.add_option("--values", values, "policies of single-valued properties");
  app.add_option("--records", records, "policies of records");
  app.add_flag("--hot", wanted.setting.is_hot, "with these policies: all write the same few cells");
  app.add_option("--steps", wanted.setting.steps, "how many steps, instead of what follows from the seed");
  CLI11_PARSE(app, argc, argv);
  if (std::sscanf(seeds.c_str(), "%u..%u", &wanted.first, &wanted.last) != 2 || wanted.first > wanted.last) {
    fmt::print(stderr, "--seeds {}: expected A..B with A <= B\n", seeds);
    return 2;
  }
  wanted.chooses_policies = quads.empty() && values.empty() && records.empty();
  if (!quads.empty()) wanted.setting.quads = quads;
  if (!values.empty()) wanted.setting.values = values;
  wanted.setting.records = records;
  return run(wanted);
}
