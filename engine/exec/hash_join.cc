// Joins two streams of rows: the right one is kept and indexed by the keys, the left one runs past it.
#include "engine/exec/column_map.h"
#include "engine/exec/operators.h"
#include "engine/exec/row_index.h"
#include "engine/exec/row_pairs.h"

namespace quadrille::exec {
namespace {

std::vector<size_t> columns_of(const std::vector<plan::VariableId>& keys,
                               const std::vector<plan::VariableId>& columns) {
  std::vector<size_t> found;
  for (plan::VariableId key : keys) found.push_back(column_of(columns, key));
  return found;
}

class HashJoin final : public Operator {
 public:
  HashJoin(const plan::Plan& plan, OperatorPointer left, OperatorPointer right, RunState& run)
      : plan_(plan),
        run_(run),
        left_(std::move(left)),
        right_(std::move(right)),
        left_keys_(columns_of(plan.keys, plan.children[0]->columns)),
        index_(right_rows_, columns_of(plan.keys, plan.children[1]->columns)),
        pairs_(plan, plan.children[0]->columns, plan.children[1]->columns, run),
        memory_(run) {}

  void next(Batch& batch, size_t wanted) override {
    batch.reset(plan_.columns.size());
    if (right_) keep_right();
    if (right_rows_.rows() == 0 && plan_.mode == plan::JoinMode::Inner) return;
    while (batch.rows() == 0) {
      if (next_left_ == left_rows_.rows()) {
        left_wanted_ = left_wanted_ == 0 ? std::min(wanted, first_batch_rows) : grown(left_wanted_);
        left_->next(left_rows_, left_wanted_);
        next_left_ = 0;
        if (left_rows_.rows() == 0) return;
      }
      join_some(batch, wanted);
    }
  }

 private:
  void keep_right() {
    Batch some;
    right_rows_.reset(plan_.children[1]->columns.size());
    for (size_t size = first_batch_rows;; size = grown(size)) {
      right_->next(some, size);
      if (some.rows() == 0) break;
      const auto first = static_cast<uint32_t>(right_rows_.rows());
      right_rows_.append(some);
      memory_.take(some.bytes() + some.rows() * RowIndex::bytes_per_row);
      for (uint32_t row = first; row < right_rows_.rows(); ++row) index_.add(row);
    }
    right_.reset();
  }

  void join_some(Batch& batch, size_t wanted) {
    run_.check();
    found_.clear();
    const size_t begin = next_left_;
    while (next_left_ < left_rows_.rows() && found_.size() < wanted) {
      const auto row = static_cast<uint32_t>(next_left_++);
      const uint64_t hash = index_.hash_of(left_rows_, left_keys_, row);
      index_.find(left_rows_, left_keys_, row, hash, [&](uint32_t right_row) {
        found_.emplace_back(row, right_row);
        return true;
      });
    }
    pairs_.join(left_rows_, right_rows_, found_, begin, next_left_, batch);
  }

  const plan::Plan& plan_;
  RunState& run_;
  OperatorPointer left_;
  OperatorPointer right_;
  Batch right_rows_;
  std::vector<size_t> left_keys_;
  RowIndex index_;
  RowPairs pairs_;
  MemoryUse memory_;
  Batch left_rows_;
  size_t left_wanted_ = 0;
  size_t next_left_ = 0;
  std::vector<RowPair> found_;
};

}  // namespace

OperatorPointer make_hash_join(const plan::Plan& plan, OperatorPointer left, OperatorPointer right, RunState& run) {
  return std::make_unique<HashJoin>(plan, std::move(left), std::move(right), run);
}

}  // namespace quadrille::exec
