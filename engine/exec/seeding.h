// Rows handed down into a plan.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/exec/batch.h"
#include "engine/exec/run_state.h"

namespace quadrille::exec {

// The number of a seed as it travels through columns. It is no term, and never leaves the plan that it seeds.
inline TermId seed_number(uint32_t number) { return TermId(model::TermTag::Transient, number); }

// Fills `seed` with the distinct values of `columns` among the rows, numbered; returns the number for each row.
std::vector<uint32_t> fill_seed(const Batch& rows, const std::vector<size_t>& columns, SeedTable& seed);

}  // namespace quadrille::exec
