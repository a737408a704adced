// What must hold in the end, computed the slow and simple way: every version that was ever written is kept, nothing is
// folded, nothing is incremental. DESIGN section 4, "The state of a cell".
//
//     state = resolve(... resolve(resolve(nothing, C1), C2) ...)
//
// over the concurrency components C1, C2, ... of all versions of a cell, in causal order; a component of one version
// is what that version left. Changesets are gone through in the order of their stamps, and a policy that reads other
// cells decides when its component grows, by the state before that changeset.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/model/quad.h"
#include "reconcile/assignment.h"
#include "reconcile/conflict_record.h"
#include "reconcile/policy.h"
#include "sim/checks/history.h"

namespace quadrille::checks {

struct OracleCell {
  reconcile::CellName name;
  std::vector<const RecordedChangeset*> writers;     // by stamp and origin
  reconcile::Content content;                        // in the end
  std::vector<reconcile::ConflictRecord> conflicts;  // without ids
};

class Oracle {
 public:
  Oracle(const History& history, const reconcile::Assignment& assignment, const reconcile::PolicyRegistry& policies);

  // Sorted, without repeats.
  std::vector<model::TermQuad> quads() const;
  // By time, then cell.
  std::vector<reconcile::ConflictRecord> conflicts() const;
  // The cell that a quad belongs to; null if nobody ever wrote it.
  const OracleCell* cell_of(const model::TermQuad& quad) const;

 private:
  reconcile::NamedPolicy policy_of(const reconcile::CellName& cell) const;
  std::string key_of(const model::TermQuad& quad) const;

  const reconcile::Assignment& assignment_;
  const reconcile::PolicyRegistry& policies_;
  std::map<std::string, OracleCell> cells_;
};

// A cell's name as text: equal for equal cells.
std::string cell_text(const reconcile::CellName& cell);

}  // namespace quadrille::checks
