#include "engine/exec/row_sorter.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace quadrille::exec {

RowSorter::RowSorter(size_t columns, std::vector<bool> descending, std::optional<uint64_t> top, RunState& run,
                     OperatorFigures* figures)
    : columns_(columns),
      directions_(std::move(descending)),
      top_(top),
      run_(run),
      figures_(figures),
      memory_(run),
      keys_(directions_.count()) {
  rows_.reset(columns_);
}

void RowSorter::add(const Batch& rows, const std::vector<const Column*>& keys) {
  run_.check();
  std::vector<SortKey> row_keys(keys.size());
  for (size_t row = 0; row < rows.rows(); ++row) {
    size_t bytes = columns_ * sizeof(TermId) + keys.size() * sizeof(SortKey) + sizeof(uint32_t);
    for (size_t i = 0; i < keys.size(); ++i) {
      row_keys[i] = sort_key_of((*keys[i])[row], run_.terms);
      bytes += text_bytes(row_keys[i]);
    }
    make_room(bytes);
    keys_.add(row_keys);
    for (size_t column = 0; column < columns_; ++column) rows_.column(column).push_back(rows.at(row, column));
    rows_.set_rows(rows_.rows() + 1);
  }
  if (top_ && rows_.rows() > *top_ * 2 + batch_rows_max) prune();
}

void RowSorter::make_room(size_t bytes) {
  if (rows_.rows() > 0 && !memory_.has_room_for(bytes)) {
    if (top_ && *top_ < rows_.rows() / 2) {
      prune();
    } else if (run_.can_spill()) {
      spill();
    }
  }
  memory_.take(bytes);
}

bool RowSorter::before(uint32_t left, uint32_t right) const {
  const auto order = directions_.compare([&](size_t i) -> const SortKey& { return keys_.at(left, i); },
                                         [&](size_t i) -> const SortKey& { return keys_.at(right, i); });
  return order != 0 ? order < 0 : left < right;  // stable
}

void RowSorter::sort() {
  order_.resize(rows_.rows());
  std::iota(order_.begin(), order_.end(), 0);
  const auto less = [&](uint32_t left, uint32_t right) { return before(left, right); };
  if (top_ && *top_ < order_.size()) {
    const auto middle = order_.begin() + static_cast<std::ptrdiff_t>(*top_);
    std::partial_sort(order_.begin(), middle, order_.end(), less);
    order_.erase(middle, order_.end());
  } else {
    sort_in_blocks();
  }
}

// Blocks whose keys the processor's cache holds are sorted by themselves, and merged: of many rows, most of which are
// in no cache, each is looked at a few times instead of at every level of the sort.
void RowSorter::sort_in_blocks() {
  constexpr size_t block_rows = SortKeys::block_rows;
  std::vector<size_t> heads;
  std::vector<size_t> ends;
  for (size_t begin = 0; begin < order_.size(); begin += block_rows) {
    heads.push_back(begin);
    ends.push_back(std::min(begin + block_rows, order_.size()));
    std::sort(order_.begin() + static_cast<std::ptrdiff_t>(begin),
              order_.begin() + static_cast<std::ptrdiff_t>(ends.back()),
              [&](uint32_t left, uint32_t right) { return before(left, right); });
  }
  if (heads.size() < 2) return;
  LoserTree tree(heads.size(), [&](size_t left, size_t right) {
    if (heads[left] == ends[left] || heads[right] == ends[right]) return heads[left] != ends[left];
    return before(order_[heads[left]], order_[heads[right]]);
  });
  std::vector<uint32_t> merged;
  merged.reserve(order_.size());
  while (merged.size() < order_.size()) {
    merged.push_back(order_[heads[tree.winner()]++]);
    if (merged.size() % batch_rows_max == 0) run_.check();
    tree.replay();
  }
  order_ = std::move(merged);
}

// Drops all rows but the best so far.
void RowSorter::prune() {
  sort();
  std::sort(order_.begin(), order_.end());  // back to the order in which they came
  rows_.keep(order_);
  size_t bytes = order_.size() * (columns_ * sizeof(TermId) + directions_.count() * sizeof(SortKey) + sizeof(uint32_t));
  SortKeys kept(directions_.count());
  std::vector<SortKey> row_keys(directions_.count());
  for (const uint32_t row : order_) {
    for (size_t i = 0; i < row_keys.size(); ++i) {
      row_keys[i] = keys_.at(row, i);
      bytes += text_bytes(row_keys[i]);
    }
    kept.add(row_keys);
  }
  keys_ = std::move(kept);
  memory_.give(memory_.bytes() - bytes);
}

// What is in memory becomes a run.
void RowSorter::spill() {
  top_.reset();
  sort();
  if (!runs_) runs_ = std::make_unique<SortedRuns>(columns_, directions_, run_, figures_);
  RunWriter& writer = runs_->writer();
  for (const uint32_t row : order_) {
    for (size_t i = 0; i < directions_.count(); ++i) append_key(keys_.at(row, i), writer.row());
    for (size_t column = 0; column < columns_; ++column) {
      const uint64_t bits = rows_.at(row, column).bits();
      writer.row().append(reinterpret_cast<const char*>(&bits), sizeof bits);
    }
    writer.end_row();
  }
  runs_->end_run();
  run_.check();
  rows_ = Batch();
  rows_.reset(columns_);
  keys_ = SortKeys(directions_.count());
  order_ = {};
  memory_.give_back();
}

void RowSorter::finish() {
  if (!runs_) return sort();
  if (rows_.rows() > 0) spill();
  merge_ = runs_->merge();
}

void RowSorter::next(Batch& batch, size_t wanted) {
  batch.reset(columns_);
  if (merge_) return next_merged(batch, wanted);
  const size_t end = std::min(order_.size(), next_ + wanted);
  for (size_t column = 0; column < columns_; ++column) {
    const Column& source = rows_.column(column);
    for (size_t i = next_; i < end; ++i) batch.column(column).push_back(source[order_[i]]);
  }
  batch.set_rows(end - next_);
  next_ = end;
}

void RowSorter::next_merged(Batch& batch, size_t wanted) {
  run_.check();
  size_t rows = 0;
  for (const RunReader* row = merge_->current(); row != nullptr && rows < wanted; row = merge_->current()) {
    for (size_t column = 0; column < columns_; ++column) batch.column(column).push_back(row->id(column));
    ++rows;
    merge_->advance();
  }
  batch.set_rows(rows);
}

}  // namespace quadrille::exec
