// MINUS: drops a row for which the other side has a compatible one that shares a bound variable with it.
// https://www.w3.org/TR/sparql11-query/#defn_algMinus
#include "engine/exec/column_map.h"
#include "engine/exec/operators.h"
#include "engine/exec/row_index.h"

namespace quadrille::exec {
namespace {

std::vector<size_t> columns_of(const std::vector<plan::VariableId>& keys,
                               const std::vector<plan::VariableId>& columns) {
  std::vector<size_t> found;
  for (plan::VariableId key : keys) found.push_back(column_of(columns, key));
  return found;
}

class Minus final : public Operator {
 public:
  Minus(const plan::Plan& plan, OperatorPointer left, OperatorPointer right, RunState& run)
      : plan_(plan),
        run_(run),
        left_(std::move(left)),
        right_(std::move(right)),
        left_keys_(columns_of(plan.keys, plan.children[0]->columns)),
        index_(right_rows_, columns_of(plan.keys, plan.children[1]->columns)),
        memory_(run) {
    const auto& left_columns = plan.children[0]->columns;
    const auto& right_columns = plan.children[1]->columns;
    for (size_t i = 0; i < left_columns.size(); ++i) {
      const size_t other = column_of(right_columns, left_columns[i]);
      if (other == no_column) continue;
      shared_.push_back({i, other, left_columns[i] != plan.row_variable});
    }
  }

  void next(Batch& batch, size_t wanted) override {
    if (right_) keep_right();
    for (size_t size = wanted;; size = std::max(size, grown(size))) {
      left_->next(batch, size);
      if (batch.rows() == 0) return;
      run_.check();
      kept_.clear();
      for (uint32_t row = 0; row < batch.rows(); ++row) {
        if (!is_removed(batch, row)) kept_.push_back(row);
      }
      batch.keep(kept_);
      if (batch.rows() > 0) return;
    }
  }

 private:
  struct Shared {
    size_t left;
    size_t right;
    bool counts;  // as a variable in common; the number of a seed does not
  };

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

  bool is_removed(const Batch& batch, uint32_t row) const {
    bool removed = false;
    const uint64_t hash = index_.hash_of(batch, left_keys_, row);
    index_.find(batch, left_keys_, row, hash, [&](uint32_t right_row) {
      removed = removes(batch, row, right_row);
      return !removed;
    });
    return removed;
  }

  bool removes(const Batch& batch, uint32_t row, uint32_t right_row) const {
    bool shares = false;
    for (const Shared& one : shared_) {
      const TermId left = batch.at(row, one.left);
      const TermId right = right_rows_.at(right_row, one.right);
      if (!left.is_bound() || !right.is_bound()) continue;
      if (left != right) return false;
      shares = shares || one.counts;
    }
    return shares;
  }

  const plan::Plan& plan_;
  RunState& run_;
  OperatorPointer left_;
  OperatorPointer right_;
  std::vector<Shared> shared_;
  Batch right_rows_;
  std::vector<size_t> left_keys_;
  RowIndex index_;
  MemoryUse memory_;
  std::vector<uint32_t> kept_;
};

}  // namespace

OperatorPointer make_minus(const plan::Plan& plan, OperatorPointer left, OperatorPointer right, RunState& run) {
  return std::make_unique<Minus>(plan, std::move(left), std::move(right), run);
}

}  // namespace quadrille::exec
