// Of a cell's history, what has been replayed.
#pragma once

#include <optional>
#include <vector>

#include "log/history_window.h"
#include "reconcile/cell_evaluator.h"

namespace quadrille::reconcile {

// Of versions of one cell and one run of assignments: the components that those make which `replayed` covers, in causal
// order. Components of the whole may fall apart when others are taken away.
std::vector<log::HistoryComponent> components_within(CellEvaluator& evaluator,
                                                     const std::vector<log::WindowVersion>& versions,
                                                     const log::SeenVector& replayed);

// Of a cell's history. Nothing if all of it has been replayed.
std::optional<std::vector<log::HistoryComponent>> replayed_components(CellEvaluator& evaluator,
                                                                      const log::CellHistory& history,
                                                                      const log::SeenVector& replayed);

}  // namespace quadrille::reconcile
