// What a cell with conflicts is left with: evaluated, and written where it is seen.
#pragma once

#include <string_view>

#include "log/history_window.h"
#include "reconcile/cell_evaluator.h"
#include "reconcile/conflict_table.h"
#include "reconcile/writing.h"

namespace quadrille::reconcile {

// What the history says of a cell that is not in transition becomes the cell's quads and its provisional records.
void show_outcome(Writing& writing, ConflictTableWriter& conflicts, CellEvaluator& evaluator, const log::Cell& cell,
                  std::string_view key, const log::CellHistory& history);

// A component that folds: its outcome is final, and nothing needs to remember it.
ResolvedComponent finally_resolved(Writing& writing, CellEvaluator& evaluator, const log::Cell& cell,
                                   std::string_view key, const log::CellContent& base,
                                   const log::HistoryComponent& component);

}  // namespace quadrille::reconcile
