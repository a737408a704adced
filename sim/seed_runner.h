// Runs many seeds side by side, each in a process of its own: a seed that brings its process down is a finding like any
// other, and takes nothing with it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "sim/scenario.h"
#include "sim/simulation.h"

namespace quadrille::sim {

struct SeedRange {
  uint64_t first = 1;
  uint64_t last = 1;  // included
};

// A new directory, in memory (/dev/shm) where that is possible, else where temporary files go. Throws
// std::filesystem::filesystem_error.
std::filesystem::path make_work_directory();

struct RunOptions {
  unsigned jobs = 1;   // processes at a time
  bool trace = false;  // print each event on standard output
  bool record = false;
  bool sent_updates = false;
  SiteFactories factories;
};

// What a seed runs: the same scenario for all, or one made from the seed.
using ScenarioOf = std::function<Scenario(uint64_t seed)>;

// Forks, so there must be no other thread. `on_result` gets each result as it comes; what is returned is in the order
// of seeds.
std::vector<SeedResult> run_seeds(const ScenarioOf& scenario_of, SeedRange seeds, const RunOptions& options,
                                  const std::filesystem::path& directory,
                                  const std::function<void(const SeedResult&)>& on_result);

std::vector<SeedResult> run_seeds(const Scenario& scenario, SeedRange seeds, const RunOptions& options,
                                  const std::filesystem::path& directory,
                                  const std::function<void(const SeedResult&)>& on_result);

// Scenarios that are run side by side from one seed; the results in their order.
std::vector<SeedResult> run_scenarios(const std::vector<Scenario>& scenarios, uint64_t seed, const RunOptions& options,
                                      const std::filesystem::path& directory);

}  // namespace quadrille::sim
