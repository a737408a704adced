// The operators that only pass rows on, drop some, or put columns elsewhere.
#include <algorithm>

#include "engine/exec/column_map.h"
#include "engine/exec/expression.h"
#include "engine/exec/operators.h"

namespace quadrille::exec {
namespace {

class Nothing final : public Operator {
 public:
  explicit Nothing(size_t columns) : columns_(columns) {}
  void next(Batch& batch, size_t) override { batch.reset(columns_); }

 private:
  size_t columns_;
};

class OneRow final : public Operator {
 public:
  void next(Batch& batch, size_t) override {
    batch.reset(0);
    batch.set_rows(done_ ? 0 : 1);
    done_ = true;
  }

 private:
  bool done_ = false;
};

class Filter final : public Operator {
 public:
  Filter(const plan::Plan& plan, OperatorPointer child, RunState& run)
      : child_(std::move(child)), conditions_(plan.conditions, plan.columns, run) {}

  void next(Batch& batch, size_t wanted) override {
    for (size_t size = wanted;; size = std::max(size, grown(size))) {
      child_->next(batch, size);
      if (batch.rows() == 0) return;
      conditions_.select(batch, selected_);
      batch.keep(selected_);
      if (batch.rows() > 0) return;
    }
  }

 private:
  OperatorPointer child_;
  Conditions conditions_;
  std::vector<uint32_t> selected_;
};

// BIND. Where the column is there already (an EXISTS outside gave it a value), both values must agree.
class Extend final : public Operator {
 public:
  Extend(const plan::Plan& plan, OperatorPointer child, RunState& run)
      : child_(std::move(child)),
        computed_(plan.expression, plan.children[0]->columns, run),
        target_(column_of(plan.columns, plan.variable)),
        is_new_(target_ == plan.children[0]->columns.size()),
        is_for_aggregate_(plan.is_for_aggregate) {}

  void next(Batch& batch, size_t wanted) override {
    do {
      child_->next(batch, wanted);
      if (batch.rows() == 0) return;
      is_for_aggregate_ ? computed_.evaluate_for_aggregate(batch, values_) : computed_.evaluate(batch, values_);
      if (is_new_) {
        Batch wider;  // one column more; moves the others
        wider.reset(batch.column_count() + 1);
        for (size_t i = 0; i < batch.column_count(); ++i) std::swap(wider.column(i), batch.column(i));
        std::swap(wider.column(target_), values_);
        wider.set_rows(batch.rows());
        std::swap(batch, wider);
      } else {
        merge(batch);
      }
    } while (batch.rows() == 0);
  }

 private:
  void merge(Batch& batch) {
    kept_.clear();
    Column& column = batch.column(target_);
    for (uint32_t row = 0; row < batch.rows(); ++row) {
      if (column[row].is_bound() && values_[row].is_bound() && column[row] != values_[row]) continue;
      if (!column[row].is_bound()) column[row] = values_[row];
      kept_.push_back(row);
    }
    batch.keep(kept_);
  }

  OperatorPointer child_;
  Computed computed_;
  size_t target_;
  bool is_new_;
  bool is_for_aggregate_;
  Column values_;
  std::vector<uint32_t> kept_;
};

// One child after the other; variables that a child does not have are unbound.
class Union final : public Operator {
 public:
  Union(const plan::Plan& plan, std::vector<OperatorPointer> children) : plan_(plan), children_(std::move(children)) {}

  void next(Batch& batch, size_t wanted) override {
    batch.reset(plan_.columns.size());
    for (; current_ < children_.size(); ++current_) {
      children_[current_]->next(some_, wanted);
      if (some_.rows() == 0) {
        children_[current_].reset();
        continue;
      }
      const auto& columns = plan_.children[current_]->columns;
      for (size_t i = 0; i < plan_.columns.size(); ++i) {
        const size_t source = column_of(columns, plan_.columns[i]);
        if (source == no_column) {
          batch.column(i).assign(some_.rows(), TermId());
        } else {
          batch.column(i) = some_.column(source);
        }
      }
      batch.set_rows(some_.rows());
      return;
    }
  }

 private:
  const plan::Plan& plan_;
  std::vector<OperatorPointer> children_;
  size_t current_ = 0;
  Batch some_;
};

class Values final : public Operator {
 public:
  Values(const plan::Plan& plan, RunState& run) : plan_(plan), run_(run) {}

  void next(Batch& batch, size_t wanted) override {
    batch.reset(plan_.columns.size());
    const auto& rows = plan_.values->rows;
    const size_t end = std::min(rows.size(), next_ + wanted);
    for (; next_ < end; ++next_) {
      for (size_t i = 0; i < plan_.columns.size(); ++i) {
        const auto& term = rows[next_][i];
        batch.column(i).push_back(term ? run_.terms.id_of(*term) : TermId());
      }
      batch.set_rows(batch.rows() + 1);
    }
  }

 private:
  const plan::Plan& plan_;
  RunState& run_;
  size_t next_ = 0;
};

class Project final : public Operator {
 public:
  Project(const plan::Plan& plan, OperatorPointer child) : child_(std::move(child)) {
    for (plan::VariableId variable : plan.columns) {
      sources_.push_back(column_of(plan.children[0]->columns, variable));
    }
  }

  void next(Batch& batch, size_t wanted) override {
    batch.reset(sources_.size());
    child_->next(some_, wanted);
    if (some_.rows() == 0) return;
    for (size_t i = 0; i < sources_.size(); ++i) {
      if (sources_[i] == no_column) {
        batch.column(i).assign(some_.rows(), TermId());
      } else {
        std::swap(batch.column(i), some_.column(sources_[i]));
      }
    }
    batch.set_rows(some_.rows());
  }

 private:
  OperatorPointer child_;
  std::vector<size_t> sources_;
  Batch some_;
};

class Slice final : public Operator {
 public:
  Slice(const plan::Plan& plan, OperatorPointer child)
      : child_(std::move(child)), columns_(plan.columns.size()), skip_(plan.offset), left_(plan.limit) {}

  void next(Batch& batch, size_t wanted) override {
    batch.reset(columns_);
    if (left_ && *left_ == 0) {
      child_.reset();
      return;
    }
    do {
      size_t size = wanted;
      if (left_ && *left_ + skip_ < size) size = static_cast<size_t>(*left_ + skip_);
      child_->next(batch, size);
      if (batch.rows() == 0) return;
      const size_t dropped = std::min<uint64_t>(skip_, batch.rows());
      if (dropped > 0) batch.drop_first(dropped);
      skip_ -= dropped;
      if (left_ && batch.rows() > *left_) batch.truncate(static_cast<size_t>(*left_));
      if (left_) *left_ -= batch.rows();
    } while (batch.rows() == 0);
  }

 private:
  OperatorPointer child_;
  size_t columns_;
  uint64_t skip_;
  std::optional<uint64_t> left_;
};

}  // namespace

OperatorPointer make_nothing(const plan::Plan& plan) { return std::make_unique<Nothing>(plan.columns.size()); }
OperatorPointer make_one_row() { return std::make_unique<OneRow>(); }
OperatorPointer make_filter(const plan::Plan& plan, OperatorPointer child, RunState& run) {
  return std::make_unique<Filter>(plan, std::move(child), run);
}
OperatorPointer make_extend(const plan::Plan& plan, OperatorPointer child, RunState& run) {
  return std::make_unique<Extend>(plan, std::move(child), run);
}
OperatorPointer make_union(const plan::Plan& plan, std::vector<OperatorPointer> children) {
  return std::make_unique<Union>(plan, std::move(children));
}
OperatorPointer make_values(const plan::Plan& plan, RunState& run) { return std::make_unique<Values>(plan, run); }
OperatorPointer make_project(const plan::Plan& plan, OperatorPointer child) {
  return std::make_unique<Project>(plan, std::move(child));
}
OperatorPointer make_slice(const plan::Plan& plan, OperatorPointer child) {
  return std::make_unique<Slice>(plan, std::move(child));
}

}  // namespace quadrille::exec
