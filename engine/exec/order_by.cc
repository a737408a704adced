// Sorts all rows, or keeps only the first few (top-k) while they stream by.
#include <algorithm>
#include <numeric>
#include <optional>

#include "engine/exec/call.h"
#include "engine/exec/column_map.h"
#include "engine/exec/operators.h"
#include "engine/model/inline_term.h"
#include "engine/model/term_order.h"

namespace quadrille::exec {
namespace {

// What a row is sorted by: small integers by their ids, all else by the total order of terms; unbound comes first.
struct SortKey {
  TermId id;
  std::optional<model::OrderedTerm> term;
};

std::strong_ordering compare_keys(const SortKey& left, const SortKey& right) {
  if (!left.term && !right.term) return left.id <=> right.id;  // unbound and integers: ids order as the values do
  if (!left.id.is_bound() || !right.id.is_bound()) return left.id.is_bound() <=> right.id.is_bound();
  const auto term_of = [](const SortKey& key) {
    return key.term ? *key.term : model::OrderedTerm(model::inline_term(key.id));
  };
  if (left.term && right.term) return *left.term <=> *right.term;
  return term_of(left) <=> term_of(right);
}

class OrderBy final : public Operator {
 public:
  OrderBy(const plan::Plan& plan, OperatorPointer child, RunState& run)
      : plan_(plan), child_(std::move(child)), run_(run), memory_(run) {
    for (const auto& condition : plan.order) {
      expressions_.push_back(make_expression(condition.expression, plan.columns, run));
    }
    keys_.resize(expressions_.size());
  }

  void next(Batch& batch, size_t wanted) override {
    if (child_) read_all();
    batch.reset(plan_.columns.size());
    const size_t end = std::min(order_.size(), next_ + wanted);
    for (size_t column = 0; column < plan_.columns.size(); ++column) {
      const Column& source = rows_.column(column);
      for (size_t i = next_; i < end; ++i) batch.column(column).push_back(source[order_[i]]);
    }
    batch.set_rows(end - next_);
    next_ = end;
  }

 private:
  void read_all() {
    rows_.reset(plan_.columns.size());
    Batch some;
    if (!plan_.top || *plan_.top > 0) {
      for (size_t size = first_batch_rows;; size = grown(size)) {
        child_->next(some, size);
        if (some.rows() == 0) break;
        keep(some);
        if (plan_.top && rows_.rows() > *plan_.top * 2 + batch_rows_max) prune();
      }
    }
    child_.reset();
    sort();
  }

  void keep(const Batch& some) {
    run_.check();
    const size_t mark = run_.terms.mark();
    size_t bytes = some.bytes();
    for (size_t i = 0; i < expressions_.size(); ++i) {
      const Column& values = expressions_[i]->evaluate(some);
      for (size_t row = 0; row < some.rows(); ++row) {
        SortKey& key = keys_[i].emplace_back();
        key.id = values[row];
        bytes += sizeof(SortKey);
        if (!key.id.is_bound() || is_inline_integer(key.id)) continue;
        model::Term term = run_.terms.term(key.id);
        bytes += term.text().size();
        key.term.emplace(std::move(term));
      }
    }
    run_.terms.forget_since(mark);
    rows_.append(some);
    if (!plan_.top) memory_.take(bytes);
  }

  bool before(uint32_t left, uint32_t right) const {
    for (size_t i = 0; i < keys_.size(); ++i) {
      const auto order = compare_keys(keys_[i][left], keys_[i][right]);
      if (order != 0) return plan_.order[i].descending ? order > 0 : order < 0;
    }
    return left < right;  // stable
  }

  void sort() {
    order_.resize(rows_.rows());
    std::iota(order_.begin(), order_.end(), 0);
    const auto less = [&](uint32_t left, uint32_t right) { return before(left, right); };
    if (plan_.top && *plan_.top < order_.size()) {
      const auto middle = order_.begin() + static_cast<std::ptrdiff_t>(*plan_.top);
      std::partial_sort(order_.begin(), middle, order_.end(), less);
      order_.erase(middle, order_.end());
    } else {
      std::sort(order_.begin(), order_.end(), less);
    }
  }

  // Drops all rows but the best so far.
  void prune() {
    sort();
    std::sort(order_.begin(), order_.end());  // back to the order in which they came
    rows_.keep(order_);
    for (auto& column : keys_) {
      for (size_t i = 0; i < order_.size(); ++i) {
        if (i != order_[i]) column[i] = std::move(column[order_[i]]);
      }
      column.erase(column.begin() + static_cast<std::ptrdiff_t>(order_.size()), column.end());
    }
  }

  const plan::Plan& plan_;
  OperatorPointer child_;
  RunState& run_;
  MemoryUse memory_;
  std::vector<ExpressionPointer> expressions_;
  Batch rows_;
  std::vector<std::vector<SortKey>> keys_;  // by condition, by row
  std::vector<uint32_t> order_;
  size_t next_ = 0;
};

}  // namespace

OperatorPointer make_order_by(const plan::Plan& plan, OperatorPointer child, RunState& run) {
  return std::make_unique<OrderBy>(plan, std::move(child), run);
}

}  // namespace quadrille::exec
