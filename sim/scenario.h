// A scenario: which sites there are, what lies between them, what they do, and what goes wrong. Read from a TOML file;
// docs/simulation.md lists every key, sim/scenarios/ has files to copy.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
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
  double losses_per_minute = 0;  // of all connections over it, by chance
};

enum class FaultKind : uint8_t {
  Partition,       // `sites` reach no other site, and are reached by none
  OneWayCut,       // what `sites[0]` sends to `sites[1]` does not arrive
  Crash,           // the process of `sites[0]` ends without a word, and starts again later
  PowerLoss,       // so does the machine of `sites[0]`: what was written and not flushed is lost, all or some of it
  Pause,           // the process of `sites[0]` does nothing, and goes on later
  ConnectionLoss,  // connections between `sites[0]` and `sites[1]` break
  ClockJump,       // the clock of `sites[0]` jumps
  Join,            // `sites[0]`, which is no member, joins with a copy of the store of `sites[1]`
  Evict,           // `sites[1]` evicts `sites[0]`
  Restore,         // `sites[0]` loses its disk, is evicted by `sites[1]`, and joins again with a backup of its own
};
inline constexpr std::array all_fault_kinds = {
    FaultKind::Partition,      FaultKind::OneWayCut, FaultKind::Crash, FaultKind::PowerLoss, FaultKind::Pause,
    FaultKind::ConnectionLoss, FaultKind::ClockJump, FaultKind::Join,  FaultKind::Evict,     FaultKind::Restore};
std::string_view name_of(FaultKind kind) noexcept;
std::optional<FaultKind> find_fault_kind(std::string_view name) noexcept;
bool has_duration(FaultKind kind) noexcept;
bool changes_members(FaultKind kind) noexcept;

struct Fault {
  FaultKind kind = FaultKind::Partition;
  int64_t at_us = 0;
  int64_t at_us_max = 0;    // if later than `at_us`: at a moment between the two, by chance
  int64_t duration_us = 0;  // of faults that end
  std::vector<std::string> sites;
  int64_t jump_ms = 0;
  int64_t backup_at_us = 0;  // Restore: when the backup was made
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
  uint64_t sessions = 0;          // clients that go from site to site and take their version along
  bool opens_accounts = true;     // before the run
  WorkloadMix mix;
};

// Where the values of a parameter %name% of a template come from.
struct Parameter {
  enum class Kind : uint8_t {
    Uniform,  // first to last, both included
    Zipf,     // 0 to last; small numbers more often, by `exponent`
    Counter,  // 1, 2, 3 ..., of the site
    OneOf,    // one of `texts`
  };
  Kind kind = Kind::Uniform;
  int64_t first = 0;
  int64_t last = 0;
  double exponent = 1;
  std::vector<std::string> texts;
};

struct UpdateTemplate {
  std::string text;  // SPARQL Update, with %name% for parameters, and %site% and %number%
  double weight = 1;
};

// Clients of one's own: a rate and a mix of templates.
struct ClientsSetup {
  std::vector<std::string> sites;  // empty: all
  double updates_per_second = 1;   // at each of them
  int64_t from_us = 0;
  int64_t until_us = 0;  // 0: the end of the run
  std::vector<UpdateTemplate> updates;
  std::map<std::string, Parameter> parameters;
};

// One update at a known moment.
struct TimedUpdate {
  std::string site;
  int64_t at_us = 0;
  std::string text;
};

struct Invariant {
  enum class When : uint8_t {
    End,        // at each site, once all is healed and settled
    Always,     // at each site, after each commit
    InContact,  // at each site, whenever all run, reach each other and have the same changesets; looked at each second
  };
  std::string name;
  std::string ask;  // SPARQL ASK that must be true
  When when = When::End;
};

struct Limits {
  uint64_t disk_bytes = uint64_t{1} << 30;    // of the file of each site
  uint64_t memory_bytes = uint64_t{2} << 30;  // of the whole simulation
};

struct Scenario {
  std::string name;
  int64_t run_us = 60'000'000;     // with updates and faults; before it the sites get to know each other
  int64_t quiet_us = 120'000'000;  // at most so long after it until everybody agrees
  int64_t commit_us_min = 200;     // how long a site takes to make a group of transactions durable
  int64_t commit_us_max = 3'000;
  uint64_t batch_bytes = 256 * 1024;  // what a site sends at once; a larger transaction takes several messages
  std::vector<SiteSetup> sites;       // those that a Join names first become members when they join
  std::vector<LinkSetup> links;
  std::vector<Fault> timeline;
  std::vector<FaultRate> fault_rates;
  WorkloadSetup workload;
  std::vector<ClientsSetup> clients;
  std::vector<TimedUpdate> updates;
  std::vector<Invariant> invariants;
  Limits limits;
  std::string data;  // a file of RDF that the first site begins with; empty: none
  reconcile::Assignment assignment;
};

// Whether the site is a member from the beginning.
bool is_founder(const Scenario& scenario, std::string_view site);
// Whether power may fail, so that sites have to flush.
bool may_lose_power(const Scenario& scenario);

// Every trouble is one line: file, line, key, and what is allowed.
base::Result<Scenario> read_scenario(const std::filesystem::path& file, const reconcile::PolicyRegistry& policies);
base::Result<Scenario> parse_scenario(std::string_view text, const std::string& file,
                                      const reconcile::PolicyRegistry& policies);
// Text that parse_scenario() reads as the same scenario.
std::string scenario_as_toml(const Scenario& scenario);

}  // namespace quadrille::sim
