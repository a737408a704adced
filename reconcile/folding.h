// Folding: what every member is known to have leaves the history window. DESIGN section 4, "Settling".
//
// Only whole, causally stable, leading components of a cell fold into its base. Walking the operations of each
// changeset once, when it becomes stable, is enough:
//   1. A component can fold just when its last version becomes stable. At that moment this walk comes by a changeset
//      that wrote the cell, and looks at the cell.
//   2. The components before it are stable too: each of its versions has seen all of theirs, and the stable vector is
//      causally closed. So it is leading as soon as it is whole and stable, and all of them fold together, in order.
//   3. It can no longer grow: every changeset that may still come in has seen all that is stable.
//   4. A walked version that may not fold yet, because a concurrent one is not stable, is folded by the walk that comes
//      by when that one is. It is noted as waiting, so that its changeset's header stays.
//   5. What a site knows of the others is lost when it stops, so `stable` may be behind what was walked before. Walked
//      means stable all the same: a version that waits must not be taken for unstable by the walk that could fold it,
//      as no other walk comes by.
//   6. The range of a large changeset (log/window_ranges.h) folds all at once when the changeset is stable; the walk
//      then comes by those of its cells that have a row of their own.
//   7. Where policies read other cells, replay (replay.h) runs first, and only what it has passed is walked. That too
//   is
//      causally closed, so all of the above holds of what is both.
//   8. While somebody looks at the site as of a cut (quads_at_cut.h), nothing folds; replay goes on.
// How far the walk is stands in the log's state, within a changeset too: a big one is folded in several calls. Of a
// large one it stands in the bulk's list of cells, which grows shorter.
#pragma once

#include "log/bulk_table.h"
#include "log/history_window.h"
#include "reconcile/cell_evaluator.h"
#include "reconcile/conflict_table.h"
#include "reconcile/mixed_cells.h"
#include "reconcile/writing.h"

namespace quadrille::reconcile {

class Folding {
 public:
  Folding(Writing& writing, const Frontier& frontier);

  // Walks at most `cell_limit` operations.
  FoldReport fold(uint64_t cell_limit);

 private:
  void replay();
  void settle_ranges();
  // Each walks on while there is room, and says whether it came to its end.
  bool walk_origin(log::OriginNumber origin);
  bool walk_changeset(log::ChangesetKey changeset);
  bool walk_bulk(log::ChangesetKey changeset, const log::BulkState& bulk);
  void walk_operations(log::ChangesetKey changeset, const log::Operations& operations, size_t from, size_t to);

  void fold_cell(log::ChangesetKey changeset, const log::Cell& cell, std::string_view key);
  void fold_mixed(log::ChangesetKey changeset);  // those that fold_cell() put aside
  void fold_history(log::ChangesetKey changeset, const log::Cell& cell, std::string_view key, log::CellHistory history);
  Writing& writing_;
  const Frontier& frontier_;
  log::ChangeLogWriter log_;
  log::BulkTableWriter bulks_;
  log::SeenVector stable_;  // and replayed, where that counts
  ConflictTableWriter conflicts_;
  CellEvaluator evaluator_;
  uint64_t room_ = 0;
  FoldReport report_;
  std::map<SubjectInGraph, std::set<log::Cell>> mixed_;  // of the changeset that is walked, in transition
};

}  // namespace quadrille::reconcile
