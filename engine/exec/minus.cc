// MINUS: drops a row for which the other side has a compatible one that shares a bound variable with it.
// https://www.w3.org/TR/sparql11-query/#defn_algMinus
#include <algorithm>

#include "engine/exec/kept_rows.h"
#include "engine/exec/operators.h"

namespace quadrille::exec {
namespace {

class Minus final : public Operator {
 public:
  Minus(const plan::Plan& plan, OperatorPointer left, OperatorPointer right, RunState& run)
      : run_(run),
        left_(std::move(left)),
        left_keys_(columns_of(plan.keys, plan.children[0]->columns)),
        right_(std::move(right), plan.children[1]->columns, plan.keys, run) {
    const auto& left_columns = plan.children[0]->columns;
    const auto& right_columns = plan.children[1]->columns;
    for (size_t i = 0; i < left_columns.size(); ++i) {
      const size_t other = column_of(right_columns, left_columns[i]);
      if (other == no_column) continue;
      shared_.push_back({i, other, left_columns[i] != plan.row_variable});
    }
  }

  void next(Batch& batch, size_t wanted) override {
    right_.read();
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

  bool is_removed(const Batch& batch, uint32_t row) const {
    bool removed = false;
    right_.find(batch, left_keys_, row, [&](uint32_t right_row) {
      removed = removes(batch, row, right_row);
      return !removed;
    });
    return removed;
  }

  bool removes(const Batch& batch, uint32_t row, uint32_t right_row) const {
    bool shares = false;
    for (const Shared& one : shared_) {
      const TermId left = batch.at(row, one.left);
      const TermId right = right_.rows().at(right_row, one.right);
      if (!left.is_bound() || !right.is_bound()) continue;
      if (left != right) return false;
      shares = shares || one.counts;
    }
    return shares;
  }

  RunState& run_;
  OperatorPointer left_;
  std::vector<size_t> left_keys_;
  KeptRows right_;
  std::vector<Shared> shared_;
  std::vector<uint32_t> kept_;
};

}  // namespace

OperatorPointer make_minus(const plan::Plan& plan, OperatorPointer left, OperatorPointer right, RunState& run) {
  return std::make_unique<Minus>(plan, std::move(left), std::move(right), run);
}

}  // namespace quadrille::exec
