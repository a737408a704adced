// One run of a scenario from one seed: start, updates and faults, heal, quiet, checks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reconcile/assignment.h"
#include "reconcile/site_store.h"
#include "reconcile/stability.h"
#include "sim/checks/violation.h"
#include "sim/run_record.h"
#include "sim/scenario.h"
#include "sim/virtual_time.h"

namespace quadrille::sim {

// What the sites are made of. The defaults are the product's; tests plant what is wrong on purpose, to see that the
// checks find it.
struct SiteFactories {
  // The policies that there are; null: the built-in ones. The checks decide by these.
  std::function<reconcile::PolicyRegistry()> known_policies;
  // The policies that a site knows; null: those.
  std::function<reconcile::PolicyRegistry(const std::string& site)> policies;
  // The rule by which a site settles; null: the rule as it should be. Called at each start.
  std::function<std::unique_ptr<reconcile::Stability>(const log::SiteId& self, const std::set<std::string>& members,
                                                      VirtualTime& time)>
      stability;
  // Called after each start of a site, with its store.
  std::function<void(const std::string& site, const reconcile::SiteStore& store)> on_start;
  bool disks_lie = false;                 // they flush nothing, and say that they did
  bool sessions_forget_versions = false;  // they send no version along
};

// What a run is to tell beside its result; each costs time or memory.
struct RunWishes {
  std::function<void(std::string_view line)> print = {};  // gets each event and message
  bool record = false;
  bool sent_updates = false;
};

struct SeedResult {
  uint64_t seed = 0;
  double simulated_s = 0;
  double real_s = 0;
  uint64_t updates = 0;  // answered
  uint64_t refused = 0;  // updates of sites that are no members, and those that a policy refuses
  uint64_t reads = 0;
  uint64_t visits = 0;  // of sessions
  uint64_t changesets = 0;
  uint64_t conflicts = 0;
  uint64_t faults = 0;
  std::map<std::string, uint64_t> faults_by_kind;
  uint64_t messages = 0;
  uint64_t bytes = 0;
  double settled_after_s = 0;  // from the healing on
  uint64_t trace_hash = 0;
  checks::Violations violations;
  std::string last_events;          // lines; of a run that found a violation
  uint64_t memory_bytes = 0;        // the most that the process had
  uint64_t disk_bytes = 0;          // of the largest store
  std::optional<RunRecord> record;  // where it was wished for
  std::vector<TimedUpdate> sent_updates;
};

// Runs in this thread, in `directory`, which is made and removed again. The same scenario, seed and factories give the
// same result, `real_s` and `memory_bytes` apart.
SeedResult run_seed(const Scenario& scenario, uint64_t seed, const std::filesystem::path& directory,
                    const SiteFactories& factories = {}, const RunWishes& wishes = {});

}  // namespace quadrille::sim
