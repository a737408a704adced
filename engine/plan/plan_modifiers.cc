// Solution modifiers, groups and sub-queries.
#include <algorithm>
#include <utility>

#include "engine/plan/planning.h"

namespace quadrille::plan {

using sparql::Algebra;
using sparql::AlgebraKind;

namespace {

// The Project below modifiers, if that is what a sub-query is made of.
const Algebra* find_project(const Algebra& algebra) {
  const Algebra* node = &algebra;
  while (node->kind == AlgebraKind::Slice || node->kind == AlgebraKind::Distinct ||
         node->kind == AlgebraKind::Reduced) {
    node = node->left.get();
  }
  return node->kind == AlgebraKind::Project ? node : nullptr;
}

// Tells the sort below that only so many rows are wanted. Only what keeps rows and order may stand between.
void limit_sort(Plan& plan, uint64_t wanted) {
  Plan* node = &plan;
  while (node->kind == PlanKind::Project) node = node->children.front().get();
  if (node->kind == PlanKind::OrderBy) node->top = std::min(node->top.value_or(wanted), wanted);
}

}  // namespace

PlanPointer Planning::project(PlanPointer child, const std::vector<sparql::Variable>& variables, Scope& scope) {
  auto made = std::make_unique<Plan>();
  made->kind = PlanKind::Project;
  for (const auto& variable : variables) {
    const VariableId id = scope.id_of(variable);
    if (!made->has_column(id)) made->columns.push_back(id);
    if (child->certain.has(id)) made->certain.add(id);
  }
  made->rows = child->rows;
  made->children.push_back(std::move(child));
  return made;
}

PlanPointer Planning::plan_project(const Algebra& algebra, const Around& around) {
  return project(plan_modifier(*algebra.left, around), algebra.projection, *around.scope);
}

// What stands below a Project: a pattern, perhaps ordered and grouped.
PlanPointer Planning::plan_modifier(const Algebra& algebra, const Around& around) {
  if (algebra.kind == AlgebraKind::OrderBy) {
    Around inside = around;
    inside.stops_early = false;
    return plan_order(algebra, plan_modifier(*algebra.left, inside), around);
  }
  if (algebra.kind == AlgebraKind::Group) return plan_group_by(algebra, around);
  return plan(algebra, around);
}

// A sub-query has its own names, but for those that it projects, and is never seeded: it sees all of its solutions.
PlanPointer Planning::plan_sub_query(const Algebra& algebra, const Around& around) {
  const Algebra* projected = find_project(algebra);
  Scope& inner = query_.scopes.emplace_back(query_.variables);
  if (projected != nullptr) {
    for (const auto& variable : projected->projection) inner.share(variable.name, around.scope->id_of(variable));
  }
  Around inside = around;
  inside.scope = &inner;
  inside.seed = nullptr;
  inside.stops_early = false;
  PlanPointer made = plan_root_node(algebra, inside);
  if (around.seed != nullptr) return join_plans(std::move(made), seed_plan(*around.seed), JoinMode::Inner);
  return made;
}

// Distinct rows may be found before they are sorted when the sort looks at nothing else; then a top-k sort is possible.
PlanPointer Planning::plan_distinct(const Algebra& algebra, const Around& around) {
  const Algebra& below = *algebra.left;
  const auto distinct = [](PlanPointer child) {
    auto made = std::make_unique<Plan>();
    made->kind = PlanKind::Distinct;
    made->columns = child->columns;
    made->certain = child->certain;
    made->rows = child->rows;
    made->children.push_back(std::move(child));
    return made;
  };
  if (below.kind == AlgebraKind::Project && below.left->kind == AlgebraKind::OrderBy) {
    VariableSet projected;
    for (const auto& variable : below.projection) projected.add(around.scope->id_of(variable));
    bool sees_only_projected = true;
    for (const auto& condition : below.left->order) {
      sees_only_projected = sees_only_projected && !has_exists(condition.expression) &&
                            projected.covers(variables_of(condition.expression, *around.scope));
    }
    if (sees_only_projected) {
      Around inside = around;
      inside.stops_early = false;
      PlanPointer rows = project(plan_modifier(*below.left->left, inside), below.projection, *around.scope);
      return plan_order(*below.left, distinct(std::move(rows)), around);
    }
  }
  return distinct(plan_root_node(below, around));
}

PlanPointer Planning::plan_order(const Algebra& algebra, PlanPointer child, const Around& around) {
  auto made = std::make_unique<Plan>();
  made->kind = PlanKind::OrderBy;
  made->columns = child->columns;
  made->certain = child->certain;
  made->rows = child->rows;
  for (const auto& condition : algebra.order) {
    made->order.push_back({planned(condition.expression, *child, around), condition.descending});
  }
  made->children.push_back(std::move(child));
  return made;
}

PlanPointer Planning::plan_slice(const Algebra& algebra, const Around& around) {
  Around inside = around;
  inside.stops_early = algebra.limit.has_value();
  PlanPointer child = plan_root_node(*algebra.left, inside);
  if (algebra.limit && *algebra.limit <= UINT64_MAX - algebra.offset) {
    limit_sort(*child, *algebra.limit + algebra.offset);
  }
  auto made = std::make_unique<Plan>();
  made->kind = PlanKind::Slice;
  made->columns = child->columns;
  made->certain = child->certain;
  made->offset = algebra.offset;
  made->limit = algebra.limit;
  made->rows = algebra.limit ? std::min(child->rows, static_cast<double>(*algebra.limit)) : child->rows;
  made->children.push_back(std::move(child));
  return made;
}

PlanPointer Planning::plan_group_by(const Algebra& algebra, const Around& around) {
  Around inside = around;
  inside.seed = nullptr;
  inside.stops_early = false;
  PlanPointer child = plan(*algebra.left, inside);
  auto made = std::make_unique<Plan>();
  made->kind = PlanKind::Group;
  for (const auto& [variable, expression] : algebra.group_keys) {
    const VariableId id = around.scope->id_of(variable);
    made->group_keys.emplace_back(id, planned(expression, *child, around));
    if (!made->has_column(id)) made->columns.push_back(id);
    const bool copies = expression.kind == sparql::ExpressionKind::Variable &&
                        child->certain.has(around.scope->id_of(expression.variable));
    if (copies) made->certain.add(id);
  }
  for (const auto& aggregate : algebra.aggregates) {
    PlannedAggregate one;
    one.aggregate = &aggregate;
    if (aggregate.argument) one.argument = planned(*aggregate.argument, *child, around);
    one.result = around.scope->id_of(aggregate.result);
    made->columns.push_back(one.result);
    made->aggregates.push_back(std::move(one));
  }
  made->rows = algebra.group_keys.empty() ? 1 : std::max(1.0, child->rows / 4);
  made->children.push_back(std::move(child));
  return made;
}

}  // namespace quadrille::plan
