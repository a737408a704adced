// Reads the rows of one pattern from the index, and checks what the order of the index does not.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/exec/batch.h"
#include "engine/exec/run_state.h"
#include "engine/model/quad_source.h"
#include "engine/plan/plan.h"

namespace quadrille::exec {

// The part of a pattern that is the same for each of its scans.
class PatternReader {
 public:
  // Variables in `bound` are known to the caller, who seeks to them or compares them.
  PatternReader(const plan::PatternAccess& access, const std::vector<plan::VariableId>& bound, RunState& run);

  // Begins at the first row of the pattern's constant prefix.
  void open();
  void skip_to(std::span<const TermId> key) { scan_->skip_to(key); }
  // Then read() gives the rows of this key only, until the next skip.
  void skip_to_rows_of(std::span<const TermId> key) { scan_->skip_to_rows_of(key); }
  // Reads up to `capacity` rows into columns(); 0 at the end. Rows that fail a check are still there.
  size_t read(size_t capacity);
  TermId at(size_t row, model::Column column) const { return columns_[static_cast<size_t>(column)][row]; }
  const Column& column(model::Column column) const { return columns_[static_cast<size_t>(column)]; }

  // True if the row meets constants outside the prefix, repeated variables and the set of graphs.
  bool passes(size_t row) const;
  bool has_checks() const noexcept { return has_checks_; }
  // Merged graphs: true if the triple of this row is the last one that was passed here, else remembers it.
  bool is_repeated(size_t row);
  bool merges_graphs() const noexcept { return access_.graph.mode == plan::GraphMode::Merged; }

  const plan::PatternAccess& access() const noexcept { return access_; }
  // The constant of a column; unbound if it has none.
  TermId constant(model::Column column) const;

 private:
  const plan::PatternAccess& access_;
  RunState& run_;
  model::ColumnSet wanted_;
  std::unique_ptr<model::QuadScan> scan_;
  std::array<Column, 4> columns_;
  std::vector<std::pair<model::Column, TermId>> equal_constants_;
  std::vector<std::pair<model::Column, model::Column>> equal_columns_;
  const plan::GraphFilter* graph_filter_ = nullptr;
  bool has_checks_ = false;
  std::array<TermId, 3> last_triple_;
};

}  // namespace quadrille::exec
