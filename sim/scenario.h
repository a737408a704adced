// A scenario: which sites there are, what lies between them, what they do, and what goes wrong. Read from a TOML file;
// sim/scenarios/partition.toml shows every key with what it means.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "reconcile/assignment.h"
#include "sim/link.h"

namespace quadrille::sim {

struct SiteSetup {
  std::string name;
  int64_t clock_skew_ms = 0;
};

struct LinkSetup {
  std::string one;
  std::string another;
  LinkOptions options;
};

enum class FaultKind : uint8_t {
  Partition,       // `sites` reach no other site, and are reached by none
  OneWayCut,       // what `sites[0]` sends to `sites[1]` does not arrive
  Crash,           // the process of `sites[0]` ends without a word, and starts again later
  Pause,           // the process of `sites[0]` does nothing, and goes on later
  ConnectionLoss,  // connections between `sites[0]` and `sites[1]` break
  ClockJump,       // the clock of `sites[0]` jumps
};
std::string_view name_of(FaultKind kind) noexcept;

struct Fault {
  FaultKind kind = FaultKind::Partition;
  int64_t at_us = 0;
  int64_t duration_us = 0;  // of faults that end
  std::vector<std::string> sites;
  int64_t jump_ms = 0;
};

// Faults of one kind that come by chance.
struct FaultRate {
  FaultKind kind = FaultKind::Partition;
  double per_minute = 0;  // over all sites and links together
  int64_t duration_us_min = 0;
  int64_t duration_us_max = 0;
  int64_t jump_ms_max = 0;  // either way
};

// How often each kind of update is written, relative to each other. What they do: workload.h.
struct WorkloadMix {
  double insert = 3;
  double erase = 2;
  double pair = 2;
  double set_value = 2;
  double increment = 2;
  double bulk = 0.2;
};

struct WorkloadSetup {
  double updates_per_second = 2;  // at each site
  double reads_per_second = 1;    // at each site
  uint64_t keys = 8;              // so many subjects of each kind: fewer make more conflicts
  uint64_t bulk_quads = 300;      // of a bulk update
  WorkloadMix mix;
};

struct Scenario {
  std::string name;
  int64_t run_us = 60'000'000;     // with updates and faults; before it the sites get to know each other
  int64_t quiet_us = 120'000'000;  // at most so long after it until everybody agrees
  int64_t commit_us_min = 200;     // how long a site takes to make a group of transactions durable
  int64_t commit_us_max = 3'000;
  uint64_t batch_bytes = 256 * 1024;  // what a site sends at once; a larger transaction takes several messages
  std::vector<SiteSetup> sites;
  std::vector<LinkSetup> links;
  std::vector<Fault> timeline;
  std::vector<FaultRate> fault_rates;
  WorkloadSetup workload;
  reconcile::Assignment assignment;
};

// Every trouble is one line: file, line, key, and what is allowed.
base::Result<Scenario> read_scenario(const std::filesystem::path& file, const reconcile::PolicyRegistry& policies);
base::Result<Scenario> parse_scenario(std::string_view text, const std::string& file,
                                      const reconcile::PolicyRegistry& policies);

}  // namespace quadrille::sim
