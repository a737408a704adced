// The side of a join that is read whole, kept, and found again by its keys.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/exec/column_map.h"
#include "engine/exec/operator.h"
#include "engine/exec/row_index.h"
#include "engine/exec/run_state.h"

namespace quadrille::exec {

inline std::vector<size_t> columns_of(const std::vector<plan::VariableId>& keys,
                                      const std::vector<plan::VariableId>& columns) {
  std::vector<size_t> found;
  for (plan::VariableId key : keys) found.push_back(column_of(columns, key));
  return found;
}

class KeptRows {
 public:
  // Rows have the columns `columns`, and are found by those of `keys`.
  KeptRows(OperatorPointer child, const std::vector<plan::VariableId>& columns,
           const std::vector<plan::VariableId>& keys, RunState& run)
      : child_(std::move(child)),
        column_count_(columns.size()),
        index_(rows_, columns_of(keys, columns)),
        memory_(run),
        run_(run) {}

  // Reads all there is, the first time.
  void read() {
    if (!child_) return;
    Batch some;
    rows_.reset(column_count_);
    for (size_t size = first_batch_rows;; size = grown(size)) {
      child_->next(some, size);
      if (some.rows() == 0) break;
      run_.check();
      const auto first = static_cast<uint32_t>(rows_.rows());
      rows_.append(some);
      memory_.take(some.bytes() + some.rows() * RowIndex::bytes_per_row);
      for (uint32_t row = first; row < rows_.rows(); ++row) index_.add(row);
    }
    child_.reset();
  }
  const Batch& rows() const noexcept { return rows_; }

  // Calls visit(row of rows()) for each kept row with the keys of `batch` at `row`, until it returns false.
  template <class Visit>
  void find(const Batch& batch, const std::vector<size_t>& columns, size_t row, Visit&& visit) const {
    index_.find(batch, columns, row, index_.hash_of(batch, columns, row), std::forward<Visit>(visit));
  }

 private:
  OperatorPointer child_;
  size_t column_count_;
  Batch rows_;
  RowIndex index_;
  MemoryUse memory_;
  RunState& run_;
};

}  // namespace quadrille::exec
