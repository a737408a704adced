// The history window of quad cells that have no row of their own in it: what the ranges of large changesets say
// (bulk_table.h).
//
// 1. A cell with a row in "log.window" has all of its history there, and ranges say nothing of it. The row is written
//    when another version comes that the range does not hold, with what the ranges had said in it.
// 2. A large changeset takes a cell into its range only if it has seen all of the cell's versions. So the ranges that
//    hold a cell follow one upon the other, each version is a component by itself, the last one says whether the quad
//    exists, and no policy is asked.
// 3. Once a large changeset is causally stable, each of those versions is whole, stable, and leads: all of them fold at
//    once, by a change of the bulk's stage. So a settled range is history no more, at whatever pace it is removed. The
//    rows that were written for its cells before are still to be walked; they are listed in the bulk.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/model/quad.h"
#include "engine/store/environment.h"
#include "log/bulk_range.h"
#include "log/log_state.h"

namespace quadrille::log {

// Reads of one transaction, which must outlive it, and while no large changeset enters or settles. Remembers the blocks
// that it came by: to be asked in the order GSPO if there is a choice.
class WindowRanges {
 public:
  WindowRanges(const store::ReadTransaction& reading, const store::Table& table, const LogState& state);

  bool is_empty() const noexcept { return ranges_.empty(); }

  struct History {
    std::vector<uint64_t> bulks;  // whose ranges hold the cell, in the order in which they entered
    std::string row;              // as it would stand in the window (history_window.h)
  };
  // Of a quad cell without a row of its own; nothing if it has no history. `exists`: whether the quad is in the store.
  std::optional<History> find(const model::Quad& quad, bool exists);

 private:
  struct Range {
    uint64_t bulk = 0;
    OriginNumber origin = 0;
    uint64_t seq = 0;
    BulkRange quads;
  };
  std::vector<Range> ranges_;  // in the order in which they entered
};

}  // namespace quadrille::log
