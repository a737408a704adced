// Sorts rows in bounded memory: an external merge sort that stays in memory where the rows fit.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/exec/sort_key.h"
#include "engine/exec/sorted_runs.h"

namespace quadrille::exec {

// Rows that are equal stay in the order in which they came. All are added, then finish(), then they come out.
class RowSorter {
 public:
  // `top`: only so many rows are wanted; they are picked while rows are added, and more may come out after all.
  RowSorter(size_t columns, std::vector<bool> descending, std::optional<uint64_t> top, RunState& run,
            OperatorFigures* figures);

  // `keys`: a column for each direction; ids may be passing ones. Throws RunStopped and base::StorageError.
  void add(const Batch& rows, const std::vector<const Column*>& keys);
  void finish();
  // As Operator::next().
  void next(Batch& batch, size_t wanted);

 private:
  bool before(uint32_t left, uint32_t right) const;
  void sort();
  void sort_in_blocks();
  void prune();
  void make_room(size_t bytes);
  void spill();
  void next_merged(Batch& batch, size_t wanted);

  size_t columns_;
  SortDirections directions_;
  std::optional<uint64_t> top_;
  RunState& run_;
  OperatorFigures* figures_;
  MemoryUse memory_;
  Batch rows_;
  SortKeys keys_;  // of rows_
  std::vector<uint32_t> order_;
  size_t next_ = 0;
  std::unique_ptr<SortedRuns> runs_;  // null while all is in memory
  std::unique_ptr<RunMerge> merge_;
};

}  // namespace quadrille::exec
