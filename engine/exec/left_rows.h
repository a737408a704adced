// The left side of a join that is taken a batch at a time; batches grow while the query turns out to be a long one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "engine/exec/operator.h"

namespace quadrille::exec {

class LeftRows {
 public:
  explicit LeftRows(OperatorPointer child) : child_(std::move(child)) {}

  // Replaces the batch by the next one; false at the end.
  bool load(size_t wanted) {
    size_ = size_ == 0 ? std::min(wanted, first_batch_rows) : grown(size_);
    child_->next(rows_, size_);
    next_ = 0;
    return rows_.rows() > 0;
  }
  // The same, for a join to which each batch is dear: batches that come in small, as a filter leaves them, become one.
  bool load_full(size_t wanted) {
    if (is_at_end_ || !load(wanted)) return false;
    Batch more;
    while (rows_.rows() < size_ && !is_at_end_) {
      child_->next(more, size_ - rows_.rows());
      is_at_end_ = more.rows() == 0;
      if (!is_at_end_) rows_.append(more);
    }
    return true;
  }
  const Batch& rows() const noexcept { return rows_; }
  // The row of the batch that is joined next.
  size_t position() const noexcept { return next_; }
  bool is_used_up() const noexcept { return next_ == rows_.rows(); }
  uint32_t take() noexcept { return static_cast<uint32_t>(next_++); }

 private:
  OperatorPointer child_;
  Batch rows_;
  size_t size_ = 0;
  size_t next_ = 0;
  bool is_at_end_ = false;  // seen by load_full()
};

}  // namespace quadrille::exec
