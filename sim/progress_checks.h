// What must hold at each commit of each site, crashes between them or not: nothing that was there goes away, and
// changesets enter in an order that agrees with causality, each once. Fills the history on the way.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "log/version_vector.h"
#include "sim/checks/history.h"
#include "sim/checks/violation.h"
#include "sim/simulated_site.h"
#include "sim/trace.h"
#include "sim/virtual_time.h"

namespace quadrille::sim {

class ProgressChecks {
 public:
  ProgressChecks(const VirtualTime& time, Trace& trace) : time_(time), trace_(trace) {}

  // After a commit, and after each start.
  std::optional<checks::Violation> look_at(const SimulatedSite& site);

  const checks::History& history() const noexcept { return history_; }

 private:
  struct Seen {
    log::VersionVector vector;
    uint64_t position = 0;
  };
  std::optional<checks::Violation> enter(const SimulatedSite& site, const reconcile::SiteSnapshot& snapshot,
                                         uint64_t position, Seen& seen);

  const VirtualTime& time_;
  Trace& trace_;
  std::map<std::string, Seen> seen_;  // by site
  checks::History history_;
};

}  // namespace quadrille::sim
