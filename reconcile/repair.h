// Putting a site's quads right where they differ from another site's as of a cut, which they must not: something was
// lost or damaged here. DESIGN section 5, "Anti-entropy".
//
// It is no change, and nothing is logged. What has come to a cell since the cut stands: it is evaluated again over what
// is put right. A cell without history has not been touched since the cut, for nothing has folded since.
#pragma once

#include <map>
#include <vector>

#include "log/window_ranges.h"
#include "reconcile/cell_evaluator.h"
#include "reconcile/writing.h"

namespace quadrille::reconcile {

class Repair {
 public:
  Repair(Writing& writing, const log::VersionVector& cut);

  // See WriteGroup::repair.
  base::Result<RepairReport> run(const std::function<base::Result<void>(model::QuadTarget&)>& work);

 private:
  // What is to be inserted into a cell and erased from it.
  struct Wanted {
    log::CellContent inserted, erased;
    size_t size() const { return inserted.size() + erased.size(); }
    log::CellContent applied_to(log::CellContent content) const;
  };
  void put_right(const log::Cell& cell, const Wanted& wanted);
  // False: what the history says cannot be made what it is to be.
  bool put_right_history(const log::Cell& cell, const Wanted& wanted, log::CellHistory history, bool is_own_row);
  void show(const log::Cell& cell, const log::CellContent& content);
  log::CellContent resolve_all(const log::Cell& cell, const log::CellHistory& history);

  Writing& writing_;
  log::VersionVector cut_;
  log::SeenVector covered_;
  log::ChangeLogWriter log_;
  CellEvaluator evaluator_;
  log::WindowRanges ranges_;
  std::vector<std::shared_ptr<TouchedCells>> watches_;
  RepairReport report_;
};

}  // namespace quadrille::reconcile
