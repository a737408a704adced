// Compaction: moves the delta of an order into its runs, and runs into others, a few blocks at a time. What they mean
// together stays the same, so readers see no difference.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "engine/store/quad_table.h"

namespace quadrille::store {

// Where the fold of each order goes on: it goes round, so that no part of an order waits for ever. Need not survive.
struct FoldPlace {
  std::array<std::string, 4> next_key;  // by QuadOrder
};

// Folds deltas into the base, and what they erase out of the other runs. Writes about `row_limit` rows of blocks in all
// orders together, at least one block in each that has a delta; returns how many.
uint64_t fold_delta(WriteTransaction& transaction, const QuadTables& tables, const RunList& runs, FoldPlace& place,
                    uint64_t row_limit);

// The merge that pays most, if one does: a run that is large beside the base goes into the base; where there are many
// runs, the smallest goes into the next. Sets `source` and `target` of the list, unless a merge goes on already.
// True: there is one to go on with.
bool choose_merge(RunList& runs, uint64_t quads);

// A step of the merge that goes on: about `row_limit` rows of blocks, at least one in an order that is not done.
// Returns how many; when all is done, the source is no longer in the list.
uint64_t merge_runs(WriteTransaction& transaction, const QuadTables& tables, RunList& runs, uint64_t row_limit);

// Removes blocks of a run that is not active, `row_limit` rows at most (but a block at least). True: none is left.
bool remove_run(WriteTransaction& transaction, const QuadTables& tables, RunNumber run, uint64_t row_limit);

// The runs that have blocks, ascending.
std::vector<RunNumber> runs_with_blocks(const ReadTransaction& transaction, const QuadTables& tables);

}  // namespace quadrille::store
