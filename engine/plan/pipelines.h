// Which parts of a plan several threads may run side by side, each on rows of its own: chains of operators that make of
// each row what they make of it whatever the other rows are. Morsels, that is, dealt out by the chain's leaf (Leis et
// al., Morsel-Driven Parallelism, SIGMOD 2014).
#pragma once

#include "engine/plan/plan.h"
#include "engine/plan/tuning.h"

namespace quadrille::plan {

// Sets Plan::leaf of the tops of such chains, where the leaf is estimated to have rows enough. A leaf is the lowest
// operator of a chain, or below it, that is; the right sides of joins are read whole by one thread, and kept for all.
// What the arguments of aggregates cost to compute, where that gives small values, becomes a part of the chain below.
void mark_pipelines(PlannedQuery& query, const Tuning& tuning);

}  // namespace quadrille::plan
