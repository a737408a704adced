// A random history over real stores: whatever the order of delivery, repetition, batching, moments of folding, sizes of
// changesets and restarts in between, all sites end up with the same, and nothing is left in windows and logs.
//
// The last site folds only at the end: with all versions at hand, it is what the others are compared with.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/reconcile/histories/history_setting.h"

namespace quadrille::test {

inline constexpr size_t history_steps_max = 140;

struct HistoryOutcome {
  std::string trouble;  // empty, or what is wrong
  size_t changesets = 0;
  size_t restarts = 0;
  size_t conflicts = 0;          // final conflict records
  size_t folded_in_between = 0;  // cells
  size_t taken_in_steps = 0;     // large changesets
  size_t shared_commits = 0;     // groups of several requests and deliveries
  size_t undone_commits = 0;
  size_t assignments = 0;  // changes of policies
  size_t refused = 0;      // requests, where policies change
  std::map<std::string, size_t> conflicts_by_policy;
  std::vector<std::string> story;  // a line for each thing that a site did
};

// The same for the same seed and setting. An exception on the way is trouble too.
HistoryOutcome run_history(uint32_t seed, const HistorySetting& setting);

}  // namespace quadrille::test
