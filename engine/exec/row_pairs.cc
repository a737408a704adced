#include "engine/exec/row_pairs.h"

#include <algorithm>

#include "engine/exec/column_map.h"

namespace quadrille::exec {

using plan::VariableId;

RowPairs::RowPairs(const plan::Plan& join, const std::vector<VariableId>& left, const std::vector<VariableId>& right,
                   RunState& run)
    : plan_(join), left_count_(left.size()), conditions_(join.conditions, join.columns, run) {
  for (size_t column = 0; column < right.size(); ++column) {
    const size_t target = column_of(join.columns, right[column]);
    if (target == no_column) continue;  // the row numbers of a seed
    if (target >= left_count_) {
      added_.emplace_back(column, target);
    } else if (std::find(join.keys.begin(), join.keys.end(), right[column]) == join.keys.end()) {
      shared_.emplace_back(target, column);
    }
  }
}

bool RowPairs::compatible(const Batch& left, const Batch& right, const RowPair& pair) const {
  for (const auto& [left_column, right_column] : shared_) {
    const TermId on_left = left.at(pair.first, left_column);
    const TermId on_right = right.at(pair.second, right_column);
    if (on_left != on_right && on_left.is_bound() && on_right.is_bound()) return false;
  }
  return true;
}

void RowPairs::append(const Batch& left, const Batch& right, const std::vector<RowPair>& pairs, Batch& out) const {
  for (size_t column = 0; column < left_count_; ++column) {
    const Column& source = left.column(column);
    for (const RowPair& pair : pairs) out.column(column).push_back(source[pair.first]);
  }
  for (const auto& [left_column, right_column] : shared_) {
    const Column& source = right.column(right_column);
    Column& target = out.column(left_column);
    const size_t first = target.size() - pairs.size();
    for (size_t i = 0; i < pairs.size(); ++i) {
      if (!target[first + i].is_bound()) target[first + i] = source[pairs[i].second];
    }
  }
  for (const auto& [column, target] : added_) {
    const Column& source = right.column(column);
    for (const RowPair& pair : pairs) out.column(target).push_back(source[pair.second]);
  }
  out.set_rows(out.rows() + pairs.size());
}

void RowPairs::join(const Batch& left, const Batch& right, const std::vector<RowPair>& pairs, size_t begin, size_t end,
                    Batch& out) {
  const std::vector<RowPair>* joined = &pairs;
  if (!shared_.empty()) {
    kept_.clear();
    for (const RowPair& pair : pairs) {
      if (compatible(left, right, pair)) kept_.push_back(pair);
    }
    joined = &kept_;
  }
  out.reset(plan_.columns.size());
  append(left, right, *joined, out);
  const bool outer = plan_.mode == plan::JoinMode::LeftOuter;
  if (outer) matched_.assign(end - begin, false);
  if (conditions_.any()) {
    conditions_.select(out, selected_);
    out.keep(selected_);
    if (outer) {
      for (uint32_t row : selected_) matched_[(*joined)[row].first - begin] = true;
    }
  } else if (outer) {
    for (const RowPair& pair : *joined) matched_[pair.first - begin] = true;
  }
  if (!outer) return;
  for (size_t row = begin; row < end; ++row) {
    if (matched_[row - begin]) continue;
    for (size_t column = 0; column < left_count_; ++column) out.column(column).push_back(left.at(row, column));
    for (const auto& [column, target] : added_) out.column(target).emplace_back();
    out.set_rows(out.rows() + 1);
  }
}

}  // namespace quadrille::exec
