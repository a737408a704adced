// Replay: policies that read other cells decide, in the one order that all sites share. DESIGN section 4, "Policies
// that read related quads".
//
//   1. A stamp is settled when every changeset up to it has come in (stability.h). Settled changesets are replayed in
//      the order of (stamp, site), each once.
//   2. With a changeset are decided those components that it belongs to and that have several versions among what has
//      been replayed by then, it included. The policy reads the state as it was before (settled_state.h), so it does
//      not matter in which order the changeset's cells are looked at. A component that grows later is decided again
//      then.
//   3. So every outcome is a function of the changesets up to a stamp and nothing else. Folding takes it as it is, and
//      nothing folds that has not been replayed: the settled state cannot be known of a base that is ahead.
//   4. Where no policy that counts reads other cells, nothing is replayed. What is walked by folding before such a
//      policy is known here counts as replayed. It has a lower stamp than the assignment: each member was known to have
//      it by a message before that of the assignment, so who wrote the assignment had it. The same holds of what let a
//      version leave its component, as only stable ones do (CellEvaluator::drop_what_may_leave).
// How far replay is stands in the log's state. A changeset is not parted.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "log/stamp.h"
#include "reconcile/cell_evaluator.h"
#include "reconcile/conflict_table.h"
#include "reconcile/mixed_cells.h"
#include "reconcile/settled_state.h"
#include "reconcile/writing.h"

namespace quadrille::reconcile {

// For one step of the writer.
class Replay {
 public:
  Replay(Writing& writing, ConflictTableWriter& conflicts, CellEvaluator& evaluator)
      : writing_(writing), conflicts_(conflicts), evaluator_(evaluator), settled_(writing, conflicts, evaluator) {}

  // Replays until `room` operations have been looked at, which is counted down; what policies look at counts too, as
  // far as it takes as long. True: all up to that stamp is replayed.
  bool run(log::Stamp settled, uint64_t& room);
  // Whether changesets are here that have not been replayed.
  bool has_more() const;

 private:
  std::optional<log::ChangesetKey> next(log::Stamp settled);
  void replay(log::ChangesetKey changeset, uint64_t& room);
  static void count_down(uint64_t work, uint64_t& room);
  void gather_cells(log::ChangesetKey changeset, uint64_t& room);
  void gather_cell(const log::Cell& cell);
  // What is decided of the cell, in place of what was.
  std::optional<CellOutcomes> decide(log::ChangesetKey changeset, const log::Cell& cell,
                                     const log::SeenVector& replayed);
  void show(const log::Cell& cell);

  Writing& writing_;
  ConflictTableWriter& conflicts_;
  CellEvaluator& evaluator_;
  SettledState settled_;
  // Of the changeset that is replayed.
  std::vector<log::Cell> cells_;
  uint64_t versions_looked_at_ = 0;  // in what was decided last
  std::set<SubjectInGraph> mixed_;   // in transition
};

}  // namespace quadrille::reconcile
