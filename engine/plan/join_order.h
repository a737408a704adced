// In which order the operands of a group are joined, and how: the search of the planner.
//
// First greedily, by the rows that come out. Where that leaves much to do and the operands are few, all orders are
// compared by dynamic programming over sets of operands (Selinger and others: Access path selection in a relational
// database management system, 1979), left-deep, without products as far as they can be avoided.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "engine/plan/estimate.h"
#include "engine/plan/plan.h"
#include "engine/plan/tuning.h"

namespace quadrille::plan {

enum class JoinMethod : uint8_t {
  Index,  // a pattern: each row against the index; the first operand: a scan
  Hash,   // a pattern: read whole, and hashed
  Whole,  // a plan or a path, joined as it is
};

// What the search knows of an operand.
struct JoinOperand {
  const PatternAccess* pattern = nullptr;
  PatternEstimate estimate;  // of `pattern`
  VariableSet columns;
  VariableSet certain;
  double rows = 0;  // of a plan
  bool is_path = false;
  bool is_anchored = false;  // a path with a constant end
};

struct JoinStep {
  size_t operand = 0;
  JoinMethod method = JoinMethod::Index;
  double rows = 0;  // that come out of the join, before filters
};

struct JoinProblem {
  std::vector<JoinOperand> operands;
  std::vector<VariableSet> conditions;                        // what each filter has to know before it may run
  std::vector<std::pair<VariableId, VariableId>> equalities;  // variables that a filter demands to be equal
  // The rows to begin with, if any.
  bool has_start = false;
  double start_rows = 1;
  VariableSet start_columns;
  VariableSet start_certain;
  bool may_hash = true;  // whether patterns may be read whole
  Tuning tuning;
};

// Every operand once.
std::vector<JoinStep> find_join_order(const JoinProblem& problem);

// The variables of the pattern that are not in `known`, but equal to one that is.
VariableSet known_by_equality(const PatternAccess& pattern, const VariableSet& known,
                              const std::vector<std::pair<VariableId, VariableId>>& equalities);

VariableSet variables_of(const PatternAccess& access);

}  // namespace quadrille::plan
