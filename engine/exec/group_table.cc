#include "engine/exec/group_table.h"

#include <numeric>

#include "engine/exec/column_map.h"

namespace quadrille::exec {
namespace {

std::vector<size_t> numbers_up_to(size_t count) {
  std::vector<size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), size_t{0});
  return numbers;
}

}  // namespace

GroupTable::GroupTable(const plan::Plan& plan, RunState& run)
    : run_(run), memory_(run), key_columns_(numbers_up_to(plan.group_keys.size())), index_(groups_, key_columns_) {
  bytes_per_group_ = RowIndex::bytes_per_row + key_columns_.size() * sizeof(TermId);
  for (const auto& [variable, expression] : plan.group_keys) key_targets_.push_back(column_of(plan.columns, variable));
  for (const auto& aggregate : plan.aggregates) {
    aggregators_.push_back(make_aggregator(aggregate, plan.children[0]->columns, run, memory_));
    aggregate_targets_.push_back(column_of(plan.columns, aggregate.result));
    bytes_per_group_ += aggregators_.back()->bytes_per_group();
  }
  groups_.reset(key_columns_.size());
}

uint32_t GroupTable::add(const Batch& keys, uint32_t row, uint64_t hash) {
  memory_.take(bytes_per_group_);
  const auto group = static_cast<uint32_t>(groups_.rows());
  for (size_t key : key_columns_) groups_.column(key).push_back(keys.at(row, key));
  groups_.set_rows(groups_.rows() + 1);
  index_.add(group, hash);
  return group;
}

void GroupTable::add_without_key() {
  if (groups_.rows() > 0) return;
  memory_.take(bytes_per_group_);
  groups_.set_rows(1);
}

void GroupTable::aggregate(const Batch& rows, const std::vector<uint32_t>& groups) {
  for (auto& aggregator : aggregators_) aggregator->add(rows, groups, groups_.rows());
}

void GroupTable::take_out(uint32_t group, Batch& batch) {
  // Two keys may be bound to one variable; then the first has the column.
  for (size_t key = 0; key < key_columns_.size(); ++key) {
    Column& target = batch.column(key_targets_[key]);
    if (target.size() == batch.rows()) target.push_back(groups_.at(group, key));
  }
  for (size_t i = 0; i < aggregators_.size(); ++i) {
    batch.column(aggregate_targets_[i]).push_back(aggregators_[i]->result(group));
    aggregators_[i]->release(group);
  }
  batch.set_rows(batch.rows() + 1);
}

void GroupTable::truncate(size_t count) {
  if (groups_.rows() <= count) return;
  memory_.give((groups_.rows() - count) * bytes_per_group_);
  groups_.truncate(count);
  index_.forget_from(static_cast<uint32_t>(count));
  for (auto& aggregator : aggregators_) aggregator->truncate(count);
}

bool GroupTable::may_grow(size_t kept) const noexcept {
  const uint64_t offered = run_.memory_offered(memory_.bytes());
  const uint64_t share = run_.memory_share(memory_.bytes(), kept);
  return memory_.bytes() <= share + (offered - share) / 2;
}

}  // namespace quadrille::exec
