// What must hold at each commit of each site, crashes between them or not: nothing that was there goes away, changesets
// enter in an order that agrees with causality, each once, and nothing folds that a member lacks. Fills the history on
// the way.
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

  // The site begins anew, under its id of now, with so much of another one's store.
  void begin_life(const SimulatedSite& site, const log::VersionVector& has, uint64_t position);

  const checks::History& history() const noexcept { return history_; }

 private:
  struct Seen {
    log::VersionVector vector;
    uint64_t position = 0;
    log::SiteId id;
    log::VersionVector folded;
  };
  std::optional<checks::Violation> enter(const SimulatedSite& site, const reconcile::SiteSnapshot& snapshot,
                                         uint64_t position, Seen& seen);

  std::optional<checks::Violation> check_folded(const SimulatedSite& site, const reconcile::SiteSnapshot& snapshot,
                                                Seen& seen) const;

  const VirtualTime& time_;
  Trace& trace_;
  std::map<std::string, Seen> seen_;  // by site
  checks::History history_;
};

}  // namespace quadrille::sim
