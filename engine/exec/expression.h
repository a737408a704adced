// Expressions made ready to run over batches: a column of ids in, a column of ids out. An error is an unbound id, which
// is what SPARQL makes of it everywhere: a filter drops the row, BIND leaves the variable unbound.
#pragma once

#include <memory>
#include <vector>

#include "engine/exec/batch.h"
#include "engine/exec/run_state.h"
#include "engine/plan/plan.h"

namespace quadrille::exec {

// A node of an expression. Evaluated once a batch, never once a row.
class ExpressionNode {
 public:
  virtual ~ExpressionNode() = default;
  // One id for each row of `batch`; good until the next call. Ids may be passing ones (TransientTerms).
  virtual const Column& evaluate(const Batch& batch) = 0;
};
using ExpressionPointer = std::unique_ptr<ExpressionNode>;

// Makes the nodes of an expression over rows with these columns. Throws RunStopped for what is not offered.
ExpressionPointer make_expression(const plan::PlannedExpression& planned, const std::vector<plan::VariableId>& columns,
                                  RunState& run);

// Conditions that all must hold.
class Conditions {
 public:
  Conditions(const std::vector<plan::PlannedExpression>& planned, const std::vector<plan::VariableId>& columns,
             RunState& run);
  bool any() const noexcept { return !conditions_.empty(); }
  // The rows for which each condition has the effective boolean value true, ascending.
  void select(const Batch& batch, std::vector<uint32_t>& selected);

 private:
  std::vector<ExpressionPointer> conditions_;
  RunState& run_;
};

// A value for a column: evaluates an expression and makes its ids lasting.
class Computed {
 public:
  Computed(const plan::PlannedExpression& planned, const std::vector<plan::VariableId>& columns, RunState& run)
      : node_(make_expression(planned, columns, run)), run_(run) {}
  void evaluate(const Batch& batch, Column& out);
  // But floats stay as they were passed, which last as long, though they cannot be compared by id.
  void evaluate_for_aggregate(const Batch& batch, Column& out);

 private:
  ExpressionPointer node_;
  RunState& run_;
};

}  // namespace quadrille::exec
