// Makes a failing run as small as it can: fewer transactions, faults and sites, that still break the same promise.
//
// Delta debugging (Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002), over what the run
// is made of: each update that was really sent, at its moment, each fault, each site.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "sim/scenario.h"
#include "sim/seed_runner.h"

namespace quadrille::sim {

struct ShrinkOptions {
  RunOptions runs;        // how candidates are run
  size_t runs_max = 400;  // of candidates
};

struct Shrunk {
  Scenario scenario;        // with all updates and faults written out
  SeedResult result;        // of that
  size_t runs = 0;          // that it took
  bool is_smaller = false;  // false: the run could not be told again as written out, and `scenario` is the given one
};

// `found`: what the seed gave. Runs in `directory`. `progress` gets a line now and then.
Shrunk shrink(const Scenario& scenario, const SeedResult& found, const ShrinkOptions& options,
              const std::filesystem::path& directory, const std::function<void(const std::string&)>& progress);

// The scenario as that run had it: faults by chance as they fell, updates as they were sent.
Scenario written_out(const Scenario& scenario, uint64_t seed, const std::vector<TimedUpdate>& sent);

}  // namespace quadrille::sim
