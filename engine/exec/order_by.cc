// Sorts all rows, or keeps only the first few (top-k) while they stream by.
#include "engine/exec/expression.h"
#include "engine/exec/operators.h"
#include "engine/exec/row_sorter.h"

namespace quadrille::exec {
namespace {

class OrderBy final : public Operator {
 public:
  OrderBy(const plan::Plan& plan, OperatorPointer child, RunState& run)
      : plan_(plan),
        child_(std::move(child)),
        run_(run),
        sorter_(plan.columns.size(), directions_of(plan), plan.top, run, figures_of(plan, run)) {
    for (const auto& condition : plan.order) {
      expressions_.push_back(make_expression(condition.expression, plan.columns, run));
    }
    keys_.resize(expressions_.size());
  }

  void next(Batch& batch, size_t wanted) override {
    if (child_) read_all();
    sorter_.next(batch, wanted);
  }

 private:
  static std::vector<bool> directions_of(const plan::Plan& plan) {
    std::vector<bool> descending;
    for (const auto& condition : plan.order) descending.push_back(condition.descending);
    return descending;
  }

  void read_all() {
    Batch some;
    if (!plan_.top || *plan_.top > 0) {
      for (size_t size = first_batch_rows;; size = grown(size)) {
        child_->next(some, size);
        if (some.rows() == 0) break;
        const size_t mark = run_.terms.mark();
        for (size_t i = 0; i < expressions_.size(); ++i) keys_[i] = &expressions_[i]->evaluate(some);
        sorter_.add(some, keys_);
        run_.terms.forget_since(mark);
      }
    }
    child_.reset();
    sorter_.finish();
  }

  const plan::Plan& plan_;
  OperatorPointer child_;
  RunState& run_;
  RowSorter sorter_;
  std::vector<ExpressionPointer> expressions_;
  std::vector<const Column*> keys_;
};

}  // namespace

OperatorPointer make_order_by(const plan::Plan& plan, OperatorPointer child, RunState& run) {
  return std::make_unique<OrderBy>(plan, std::move(child), run);
}

}  // namespace quadrille::exec
