// What every read of every site must show, at any time, whatever has come in from elsewhere: whole transactions, one
// value where there is one, and balances that agree with their ledger. Read with SPARQL, as a client would.
//
// A rule that the scenario's policies do not promise is not checked: that two quads share their fate needs one policy
// for both, that a balance agrees with its ledger needs `sum`, and one value needs a policy that leaves one.
#pragma once

#include <optional>
#include <string>

#include "engine/base/result.h"
#include "reconcile/assignment.h"
#include "sim/checks/violation.h"
#include "sim/simulated_site.h"

namespace quadrille::sim {

class ReadChecks {
 public:
  ReadChecks(const reconcile::Assignment& assignment, const reconcile::PolicyRegistry& policies);

  // Reads a site that is running. What it finds, if anything.
  std::optional<checks::Violation> read(SimulatedSite& site) const;

 private:
  std::optional<checks::Violation> check_pairs(SimulatedSite& site) const;
  std::optional<checks::Violation> check_names(SimulatedSite& site) const;
  std::optional<checks::Violation> check_balances(SimulatedSite& site) const;
  std::optional<checks::Violation> check_bulks(SimulatedSite& site) const;

  bool pairs_are_whole_ = false;
  bool names_are_single_ = false;
  bool balances_agree_ = false;
  bool bulks_are_whole_ = false;
};

}  // namespace quadrille::sim
