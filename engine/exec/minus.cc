// MINUS: drops a row for which the other side has a compatible one that shares a bound variable with it.
// https://www.w3.org/TR/sparql11-query/#defn_algMinus
#include <algorithm>

#include "engine/exec/kept_rows.h"
#include "engine/exec/operators.h"

namespace quadrille::exec {
namespace {

class Minus final : public Operator {
 public:
  Minus(const plan::Plan& plan, OperatorPointer left, std::shared_ptr<KeptRows> right, RunState& run)
      : run_(run),
        seed_(plan.row_variable == plan::no_variable ? nullptr : &run.seed_tables[plan.seed]),
        row_column_(column_of(plan.children[0]->columns, plan.row_variable)),
        left_(std::move(left)),
        left_keys_(columns_of(plan.keys, plan.children[0]->columns)),
        right_(std::move(right)) {
    const auto& left_columns = plan.children[0]->columns;
    const auto& right_columns = plan.children[1]->columns;
    for (size_t i = 0; i < left_columns.size(); ++i) {
      const size_t other = column_of(right_columns, left_columns[i]);
      if (other == no_column) continue;
      shared_.push_back({i, other, column_of(plan.seed_variables, left_columns[i])});
    }
  }

  void next(Batch& batch, size_t wanted) override {
    right_->read();
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
    size_t seed;  // its column there, or no_column
  };

  // As a variable in common: not what an EXISTS outside has put in, nor the number of the seed.
  bool counts(const Shared& one, const Batch& batch, uint32_t row) const {
    if (seed_ == nullptr) return true;
    if (one.left == row_column_) return false;
    return one.seed == no_column || !seed_->columns[one.seed][batch.at(row, row_column_).payload()].is_bound();
  }

  bool is_removed(const Batch& batch, uint32_t row) const {
    bool removed = false;
    right_->find(batch, left_keys_, row, [&](uint32_t right_row) {
      removed = removes(batch, row, right_row);
      return !removed;
    });
    return removed;
  }

  bool removes(const Batch& batch, uint32_t row, uint32_t right_row) const {
    bool shares = false;
    for (const Shared& one : shared_) {
      const TermId left = batch.at(row, one.left);
      const TermId right = right_->rows().at(right_row, one.right);
      if (!left.is_bound() || !right.is_bound()) continue;
      if (left != right) return false;
      shares = shares || counts(one, batch, row);
    }
    return shares;
  }

  RunState& run_;
  const SeedTable* seed_;  // of the EXISTS outside, or null
  size_t row_column_;      // the number of the seed's row, there
  OperatorPointer left_;
  std::vector<size_t> left_keys_;
  std::shared_ptr<KeptRows> right_;
  std::vector<Shared> shared_;
  std::vector<uint32_t> kept_;
};

}  // namespace

OperatorPointer make_minus(const plan::Plan& plan, OperatorPointer left, std::shared_ptr<KeptRows> right,
                           RunState& run) {
  return std::make_unique<Minus>(plan, std::move(left), std::move(right), run);
}

}  // namespace quadrille::exec
