// What was decided where sites wrote against each other. DESIGN section 4, "Conflict records".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "log/changeset.h"
#include "log/stamp.h"
#include "reconcile/policy.h"

namespace quadrille::reconcile {

// One for each component whose maximal versions left different things. Provisional until the component folds; then
// final, and the same on all sites.
struct ConflictRecord {
  std::string id;   // hex of a hash of the cell and of origins and seqs of the maximal versions
  log::Stamp time;  // the newest stamp of the component
  CellName cell;
  std::vector<Version> candidates;  // the maximal versions, by (stamp, origin)
  Content chosen;
  std::string policy;
  std::string failure;   // why the policy did not decide and the fallback did; empty when it did
  std::string fallback;  // what decided until the policy, which reads other quads, can; else empty
  bool is_provisional = true;

  friend bool operator==(const ConflictRecord&, const ConflictRecord&) = default;
};

// From the record's cell and candidates.
std::string conflict_id(const ConflictRecord& record);

}  // namespace quadrille::reconcile
