// How many quads a scan would give.
#pragma once

#include <cstdint>
#include <span>

#include "engine/model/quad_source.h"
#include "engine/store/quad_table.h"
#include "engine/store/statistics.h"

namespace quadrille::store {

// Exact where a count is kept, where there are few, and where the delta has none of them; else the rows of the blocks
// with what the delta adds and takes away, as if it said nothing that the blocks say too.
uint64_t estimate_quads(const QuadView& view, const Statistics& statistics, model::QuadOrder order,
                        std::span<const model::TermId> prefix);

}  // namespace quadrille::store
