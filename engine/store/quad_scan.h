// A scan of one order: its blocks and its delta merged.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "engine/model/quad_source.h"
#include "engine/store/quad_table.h"

namespace quadrille::store {

std::unique_ptr<model::QuadScan> scan_quads(const QuadView& view, model::QuadOrder order,
                                            std::span<const model::TermId> prefix, model::ColumnSet wanted);

}  // namespace quadrille::store
