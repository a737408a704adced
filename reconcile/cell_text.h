// Cells and what they hold, as text and in ids of a store.
#pragma once

#include "engine/model/quad_source.h"
#include "reconcile/policy.h"

namespace quadrille::reconcile {

CellName cell_name(const log::Cell& cell, const model::QuadSource& terms);
Content to_text(const log::CellContent& content, const model::QuadSource& terms);
log::CellContent to_ids(const Content& content, model::QuadTarget& terms);  // sorted

}  // namespace quadrille::reconcile
