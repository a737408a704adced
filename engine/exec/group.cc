// GROUP BY with aggregates, by hashing the keys.
#include "engine/exec/aggregate.h"
#include "engine/exec/column_map.h"
#include "engine/exec/expression.h"
#include "engine/exec/operators.h"
#include "engine/exec/row_index.h"

namespace quadrille::exec {
namespace {

class Group final : public Operator {
 public:
  Group(const plan::Plan& plan, OperatorPointer child, RunState& run)
      : plan_(plan), child_(std::move(child)), run_(run), memory_(run) {
    const auto& columns = plan.children[0]->columns;
    for (const auto& [variable, expression] : plan.group_keys) {
      key_columns_.push_back(keys_of_rows_.size());
      keys_of_rows_.emplace_back(expression, columns, run);
    }
    for (const auto& aggregate : plan.aggregates) {
      aggregators_.push_back(make_aggregator(aggregate, columns, run.names, run));
    }
    groups_.reset(key_columns_.size());
    index_ = std::make_unique<RowIndex>(groups_, key_columns_);
  }

  void next(Batch& batch, size_t wanted) override {
    if (child_) read_all();
    batch.reset(plan_.columns.size());
    const size_t end = std::min(groups_.rows(), next_ + wanted);
    for (; next_ < end; ++next_) {
      // Two keys may be bound to one variable; then the first has the column.
      for (size_t key = 0; key < key_columns_.size(); ++key) {
        Column& target = batch.column(column_of(plan_.columns, plan_.group_keys[key].first));
        if (target.size() == batch.rows()) target.push_back(groups_.at(next_, key));
      }
      for (size_t i = 0; i < aggregators_.size(); ++i) {
        const size_t column = column_of(plan_.columns, plan_.aggregates[i].result);
        batch.column(column).push_back(aggregators_[i]->result(static_cast<uint32_t>(next_)));
      }
      batch.set_rows(batch.rows() + 1);
    }
  }

 private:
  void read_all() {
    Batch some;
    for (size_t size = first_batch_rows;; size = grown(size)) {
      child_->next(some, size);
      if (some.rows() == 0) break;
      run_.check();
      number_groups(some);
      for (auto& aggregator : aggregators_) aggregator->add(some, numbers_, groups_.rows());
    }
    child_.reset();
    // Without GROUP BY, no rows are a group too.
    if (key_columns_.empty() && groups_.rows() == 0) groups_.set_rows(1);
  }

  void number_groups(const Batch& some) {
    keys_.reset(key_columns_.size());
    for (size_t key = 0; key < key_columns_.size(); ++key) keys_of_rows_[key].evaluate(some, keys_.column(key));
    keys_.set_rows(some.rows());
    numbers_.resize(some.rows());
    for (uint32_t row = 0; row < some.rows(); ++row) {
      if (row > 0 && is_same_group(row)) {  // rows often come grouped
        numbers_[row] = numbers_[row - 1];
        continue;
      }
      const uint64_t hash = index_->hash_of(keys_, key_columns_, row);
      uint32_t group = index_->find_one(keys_, key_columns_, row, hash);
      if (group == no_row) {
        group = static_cast<uint32_t>(groups_.rows());
        for (size_t key : key_columns_) groups_.column(key).push_back(keys_.at(row, key));
        groups_.set_rows(groups_.rows() + 1);
        index_->add(group, hash);
        memory_.take(RowIndex::bytes_per_row + (key_columns_.size() + aggregators_.size() * 4) * sizeof(TermId));
      }
      numbers_[row] = group;
    }
  }

  bool is_same_group(uint32_t row) const {
    for (size_t key : key_columns_) {
      if (keys_.at(row, key) != keys_.at(row - 1, key)) return false;
    }
    return true;
  }

  const plan::Plan& plan_;
  OperatorPointer child_;
  RunState& run_;
  MemoryUse memory_;
  std::vector<Computed> keys_of_rows_;
  std::vector<size_t> key_columns_;
  std::vector<std::unique_ptr<Aggregator>> aggregators_;
  Batch groups_;  // the keys of each group
  std::unique_ptr<RowIndex> index_;
  Batch keys_;
  std::vector<uint32_t> numbers_;
  size_t next_ = 0;
};

}  // namespace

OperatorPointer make_group(const plan::Plan& plan, OperatorPointer child, RunState& run) {
  return std::make_unique<Group>(plan, std::move(child), run);
}

}  // namespace quadrille::exec
