#include "engine/exec/pattern_reader.h"

#include "engine/plan/pattern_access.h"

namespace quadrille::exec {

using model::ColumnSet;
using plan::GraphMode;
using plan::no_variable;
using plan::VariableId;

namespace {

using QuadColumn = model::Column;
constexpr std::array<QuadColumn, 4> all_columns = {QuadColumn::Subject, QuadColumn::Predicate, QuadColumn::Object,
                                                   QuadColumn::Graph};

}  // namespace

PatternReader::PatternReader(const plan::PatternAccess& access, const std::vector<VariableId>& bound, RunState& run)
    : access_(access), run_(run) {
  const auto order = model::columns_of(access.order);
  const auto want = [&](QuadColumn column) { wanted_ = wanted_.with(column); };
  for (size_t i = access.prefix_length; i < 4; ++i) {
    const QuadColumn column = order[i];
    const TermId value = constant(column);
    // What is in the key is compared by who seeks; the rest of the constants here.
    if (value.is_bound() && i >= access.key_length) equal_constants_.emplace_back(column, value);
    if (value.is_bound() || plan::variable_of(access, column) != no_variable) want(column);
  }
  for (size_t left = 0; left < 4; ++left) {
    const VariableId variable = plan::variable_of(access, all_columns[left]);
    if (variable == no_variable) continue;
    for (size_t right = left + 1; right < 4; ++right) {
      if (plan::variable_of(access, all_columns[right]) == variable) {
        equal_columns_.emplace_back(all_columns[left], all_columns[right]);
      }
    }
  }
  if (access.graph.mode == GraphMode::Merged || access.graph.mode == GraphMode::Each) {
    graph_filter_ = access.graph.filter.get();
    want(QuadColumn::Graph);
  }
  if (merges_graphs()) wanted_ = ColumnSet::all();
  // A bound variable outside the key is compared by the caller.
  for (VariableId variable : bound) {
    for (QuadColumn column : all_columns) {
      if (plan::variable_of(access, column) == variable) want(column);
    }
  }
  has_checks_ = !equal_constants_.empty() || !equal_columns_.empty() || graph_filter_ != nullptr;
}

TermId PatternReader::constant(QuadColumn column) const {
  if (column != QuadColumn::Graph) return access_.triple[static_cast<size_t>(column)].constant;
  if (access_.graph.mode == GraphMode::One) return access_.graph.graph;
  if (access_.graph.mode == GraphMode::Current) return run_.current_graph;
  return {};
}

void PatternReader::open() {
  std::array<TermId, 4> prefix;
  const auto order = model::columns_of(access_.order);
  for (size_t i = 0; i < access_.prefix_length; ++i) prefix[i] = constant(order[i]);
  scan_ = run_.source.scan(access_.order, std::span(prefix).first(access_.prefix_length), wanted_);
  last_triple_ = {};
}

size_t PatternReader::read(size_t capacity) {
  model::ScanBatch batch;
  batch.capacity = capacity;
  for (QuadColumn column : all_columns) {
    if (!wanted_.has(column)) continue;
    Column& target = columns_[static_cast<size_t>(column)];
    if (target.size() < capacity) target.resize(capacity);
    batch.columns[static_cast<size_t>(column)] = target.data();
  }
  return scan_->next(batch);
}

bool PatternReader::passes(size_t row) const {
  for (const auto& [column, value] : equal_constants_) {
    if (at(row, column) != value) return false;
  }
  for (const auto& [left, right] : equal_columns_) {
    if (at(row, left) != at(row, right)) return false;
  }
  return graph_filter_ == nullptr || graph_filter_->allows(at(row, QuadColumn::Graph));
}

bool PatternReader::is_repeated(size_t row) {
  const std::array<TermId, 3> triple = {at(row, QuadColumn::Subject), at(row, QuadColumn::Predicate),
                                        at(row, QuadColumn::Object)};
  if (triple == last_triple_) return true;
  last_triple_ = triple;
  return false;
}

}  // namespace quadrille::exec
