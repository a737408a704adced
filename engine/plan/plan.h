// The physical plan: which operators run, in which shape, over which columns.
//
// A plan is a value tree; it refers to expressions, value tables and paths of the sparql::Query that it was made from,
// which must outlive it, and to ids of the QuadSource that it was made for.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/model/quad_source.h"
#include "engine/plan/dataset.h"
#include "engine/plan/value_range.h"
#include "engine/plan/variables.h"
#include "engine/sparql/algebra.h"

namespace quadrille::plan {

struct Plan;
struct ExistsPlan;

// A place of a pattern: a constant, a variable, or (neither) anything.
struct Place {
  model::TermId constant;
  VariableId variable = no_variable;

  bool is_constant() const noexcept { return constant.is_bound(); }
  bool is_variable() const noexcept { return variable != no_variable; }
};

// A triple pattern in a graph, and how the index is read for it: in `order`, whose first `prefix_length` columns are
// constants and whose first `key_length` columns are constants or columns of the rows to join with.
struct PatternAccess {
  std::array<Place, 3> triple;
  GraphChoice graph;
  model::QuadOrder order = model::QuadOrder::Spog;
  uint8_t prefix_length = 0;
  uint8_t key_length = 0;
  // A hint for a scan by POSG: the filter above drops the objects that this leaves out.
  ValueRange objects;
  // By model::Column. A hint for an index join: a filter above demands that the column's variable is equal (`=`) to
  // this variable of the rows to join with. Of two IRIs or blank nodes that are equal one is the other, so the key may
  // hold it.
  std::array<VariableId, 4> equal_to = {no_variable, no_variable, no_variable, no_variable};
};

// An expression with the scope of its names and the plans of the EXISTS in it.
struct PlannedExpression {
  const sparql::Expression* expression = nullptr;
  const Scope* scope = nullptr;
  std::vector<std::pair<const sparql::Expression*, std::shared_ptr<const ExistsPlan>>> exists;
};

enum class PlanKind : uint8_t {
  Nothing,      // no rows
  OneRow,       // one row without columns
  Seed,         // the rows that the operator above hands in (seed)
  Scan,         // access
  IndexJoin,    // child 0, access, mode: each row against the index
  HashJoin,     // child 0 streams, child 1 is kept; keys, mode, conditions (LeftOuter)
  Lateral,      // child 0 a batch at a time; its distinct keys seed child 1; keys, seed, row_variable, mode, conditions
  Minus,        // child 0 streams, child 1 is kept; keys; inside an EXISTS its seed, seed_variables, row_variable
  Filter,       // child 0, conditions
  Extend,       // child 0, variable, expression
  Union,        // children, columns aligned by variable
  Values,       // values
  Path,         // child 0 (rows to start from, may be OneRow), path, path_subject, path_object, access.graph
  EachGraph,    // child 0 once for each named graph; variable is bound to the graph
  NamedGraphs,  // the named graphs that are not empty: access.graph
  Group,        // child 0, group_keys, aggregates
  OrderBy,      // child 0, order, top (if any: only so many rows are wanted)
  Project,      // child 0, columns
  Distinct,     // child 0
  Slice,        // child 0, offset, limit
  Service,      // service, variable (of the endpoint, if it is one); seeded: seed, seed_variables, row_variable, and
                // keys, whose values are handed over. Its rows are those that can be joined with the seed, and maybe
                // others
};

enum class JoinMode : uint8_t { Inner, LeftOuter };

// A path's end: a variable, or a term that the source may not know.
struct PathEnd {
  VariableId variable = no_variable;
  std::optional<model::Term> term;
};

struct PlannedOrder {
  PlannedExpression expression;
  bool descending = false;
};

struct PlannedAggregate {
  const sparql::Aggregate* aggregate = nullptr;
  PlannedExpression argument;  // none: COUNT(*)
  VariableId result = no_variable;
};

struct Plan {
  PlanKind kind = PlanKind::Nothing;
  std::vector<std::unique_ptr<Plan>> children;
  std::vector<VariableId> columns;  // what its rows hold, in this order
  VariableSet certain;              // of these, the ones that are bound in every row
  double rows = 0;                  // estimated

  PatternAccess access;
  JoinMode mode = JoinMode::Inner;
  std::vector<VariableId> keys;  // join variables that are bound in every row of both sides
  std::vector<PlannedExpression> conditions;
  uint32_t seed = 0;                       // Seed, Lateral, Minus: which
  VariableId row_variable = no_variable;   // of the seed: the column that numbers the seeding rows; not a term
  std::vector<VariableId> seed_variables;  // Minus, Service: in the order of the seed's columns
  VariableId variable = no_variable;       // Extend, EachGraph, Service
  // Extend: nobody compares the values by id, so that floats may stay as they were computed (TransientTerms).
  bool is_for_aggregate = false;
  PlannedExpression expression;  // Extend
  const sparql::ValuesTable* values = nullptr;
  const sparql::Algebra* service = nullptr;
  const sparql::Path* path = nullptr;
  PathEnd path_subject;
  PathEnd path_object;
  std::vector<std::pair<VariableId, PlannedExpression>> group_keys;
  std::vector<PlannedAggregate> aggregates;
  std::vector<PlannedOrder> order;
  std::optional<uint64_t> top;
  // The operator whose rows may be dealt out to several threads, which then run this operator and those between them
  // side by side (pipelines.h); null: one thread does it.
  const Plan* leaf = nullptr;
  uint64_t offset = 0;
  std::optional<uint64_t> limit;

  bool has_column(VariableId id) const noexcept {
    for (VariableId column : columns) {
      if (column == id) return true;
    }
    return false;
  }
};

// Calls visit(planned expression) for each that the plan's operator itself evaluates.
template <class Visit>
void for_each_expression(const Plan& plan, Visit&& visit) {
  for (const PlannedExpression& condition : plan.conditions) visit(condition);
  visit(plan.expression);
  for (const auto& [variable, expression] : plan.group_keys) visit(expression);
  for (const PlannedAggregate& aggregate : plan.aggregates) visit(aggregate.argument);
  for (const PlannedOrder& one : plan.order) visit(one.expression);
}

// The plan of an EXISTS: seeded with the values that the row outside gives to `seed_variables`, it finds the row
// numbers (row_variable) for which there is a solution.
struct ExistsPlan {
  std::unique_ptr<Plan> plan;
  // The pattern without a seed, where its solutions, looked up by the seed's variables, say the same; else none.
  std::unique_ptr<Plan> whole;
  // About what a seed costs, and all solutions with their hash table.
  double cost_of_seed = 0;
  double cost_of_whole = 0;
  uint32_t seed = 0;
  VariableId row_variable = no_variable;
  std::vector<VariableId> seed_variables;
};

// A whole query's plan, with what it refers to.
struct PlannedQuery {
  VariableTable variables;
  std::deque<Scope> scopes;                    // the first is that of the outermost SELECT
  std::deque<sparql::Expression> expressions;  // that the planner made
  std::unique_ptr<Plan> root;
  uint32_t seeds = 0;  // how many seeds there are
};

}  // namespace quadrille::plan
