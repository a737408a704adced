// OPTIONAL, UNION, MINUS, BIND, VALUES and GRAPH over what cannot be flattened into joins.
#include <algorithm>
#include <utility>

#include "engine/plan/planning.h"

namespace quadrille::plan {

using sparql::Algebra;
using sparql::AlgebraKind;

namespace {

// An OPTIONAL is seeded without asking what it would give on its own, if no more rows than these come in.
constexpr double few_rows = 20000;

}  // namespace

PlanPointer Planning::plan_optional(const Algebra& algebra, const Around& around, Conditions conditions) {
  // Conditions on what the left side surely binds may run before the right side is looked for.
  const AlgebraVariables below = variables_of(*algebra.left, *around.scope);
  Conditions early;
  Conditions late;
  for (Condition& condition : conditions) {
    const bool is_early = below.certain.covers(condition.variables);
    (is_early ? early : late).push_back(std::move(condition));
  }
  PlanPointer left = plan(*algebra.left, around, std::move(early));
  const Algebra& right = *algebra.right;
  const bool merely_one_triple = right.kind == AlgebraKind::BasicGraphPattern && right.triples.size() == 1;
  if (merely_one_triple && !algebra.expression && around.graph.mode != GraphMode::Each) {
    JoinGroup group;
    collect(right, around, group);
    if (!group.impossible) {
      PatternAccess& access = *group.items.front().pattern;
      VariableSet known;
      for (VariableId id : left->columns) known.add(id);
      const double rows =
          choices_.number([&] { return left->rows * rows_for_one(access, estimator_.estimate(access), known); });
      return apply(join_pattern(std::move(left), std::move(access), JoinMode::LeftOuter, rows, {}), std::move(late),
                   around);
    }
  }
  PlanPointer made;
  if (right.kind == AlgebraKind::Service) {
    made = join_service(std::move(left), right, JoinMode::LeftOuter, around);
  } else {
    made = join_optional(std::move(left), right, around);
  }
  if (algebra.expression) {
    Plan both;  // what the condition sees: the rows of both sides
    both.columns = made->columns;
    both.certain = made->certain;
    made->conditions.push_back(planned(*algebra.expression, both, around));
  }
  return apply(std::move(made), std::move(late), around);
}

PlanPointer Planning::join_optional(PlanPointer left, const Algebra& right, const Around& around) {
  const VariableSet certain_right = variables_of(right, *around.scope).certain;
  std::vector<VariableId> keys;
  for (VariableId id : left->columns) {
    if (left->certain.has(id) && certain_right.has(id) && can_be_seeded(right, id, *around.scope)) keys.push_back(id);
  }
  if (!keys.empty() && around.seed == nullptr && left->rows <= few_rows) {
    return plan_lateral(std::move(left), right, std::move(keys), JoinMode::LeftOuter, around);
  }
  return join_plans(std::move(left), plan(right, around), JoinMode::LeftOuter);
}

PlanPointer Planning::plan_lateral(PlanPointer left, const Algebra& right, std::vector<VariableId> keys, JoinMode mode,
                                   const Around& around) {
  const SeedRows seed = make_seed(*left, keys);
  Around inside = around;
  inside.seed = &seed;
  auto made = std::make_unique<Plan>();
  PlanPointer seeded = plan(right, inside);
  made->kind = PlanKind::Lateral;
  made->mode = mode;
  made->keys = std::move(keys);
  made->seed = seed.seed;
  made->row_variable = seed.row_variable;
  std::vector<VariableId> more = seeded->columns;
  std::erase(more, seed.row_variable);
  made->columns = joined_columns(*left, more);
  made->certain = left->certain;
  if (mode == JoinMode::Inner) {
    made->certain.add_all(seeded->certain);
    made->certain.remove(seed.row_variable);
  }
  made->rows = std::max(left->rows, left->rows * seeded->rows / seed.rows);
  made->children.push_back(std::move(left));
  made->children.push_back(std::move(seeded));
  return made;
}

PlanPointer Planning::plan_union(const Algebra& algebra, const Around& around, Conditions conditions) {
  Conditions late;
  Conditions early;
  const AlgebraVariables own = variables_of(algebra, *around.scope);
  for (Condition& condition : conditions) {
    const bool is_early = own.certain.covers(condition.variables);
    (is_early ? early : late).push_back(std::move(condition));
  }
  std::vector<PlanPointer> branches;
  branches.push_back(plan(*algebra.left, around, early));
  branches.push_back(plan(*algebra.right, around, early));
  return apply(union_of(std::move(branches)), std::move(late), around);
}

// Unions of unions become one; branches that have no rows go.
PlanPointer Planning::union_of(std::vector<PlanPointer> branches) {
  auto made = std::make_unique<Plan>();
  made->kind = PlanKind::Union;
  bool first = true;
  for (PlanPointer& branch : branches) {
    made->columns = joined_columns(*made, branch->columns);
    if (first) {
      made->certain = branch->certain;
    } else {
      made->certain.keep_only(branch->certain);
    }
    first = false;
    made->rows += branch->rows;
    if (branch->kind == PlanKind::Nothing) continue;
    if (branch->kind == PlanKind::Union) {
      for (PlanPointer& inner : branch->children) made->children.push_back(std::move(inner));
    } else {
      made->children.push_back(std::move(branch));
    }
  }
  if (made->children.empty()) made->kind = PlanKind::Nothing;
  return made;
}

PlanPointer Planning::plan_minus(const Algebra& algebra, const Around& around, Conditions conditions) {
  PlanPointer left = plan(*algebra.left, around, std::move(conditions));
  if (left->kind == PlanKind::Nothing) return left;
  // Without a variable in common, nothing is removed. What an EXISTS outside has put in is no variable any more.
  const VariableSet right_variables = variables_of(*algebra.right, *around.scope).possible;
  bool shares = false;
  for (VariableId id : left->columns) {
    const bool is_put_in = around.seed != nullptr && around.seed->certain.has(id);
    shares = shares || (right_variables.has(id) && !is_put_in);
  }
  if (!shares) return left;
  PlanPointer right = plan(*algebra.right, around);
  if (right->kind == PlanKind::Nothing) return left;
  auto made = std::make_unique<Plan>();
  made->kind = PlanKind::Minus;
  made->keys = shared_certain(*left, *right);
  made->columns = left->columns;
  made->certain = left->certain;
  made->rows = left->rows;
  if (around.seed != nullptr) {
    made->seed = around.seed->seed;
    made->row_variable = around.seed->row_variable;
    made->seed_variables = around.seed->variables;
  }
  made->children.push_back(std::move(left));
  made->children.push_back(std::move(right));
  return made;
}

PlanPointer Planning::plan_extend(const Algebra& algebra, const Around& around, Conditions conditions) {
  const VariableId target = around.scope->id_of(algebra.variable);
  Conditions early;
  Conditions late;
  for (Condition& condition : conditions) {
    const bool is_early = !condition.variables.has(target);
    (is_early ? early : late).push_back(std::move(condition));
  }
  PlanPointer child = plan(*algebra.left, around, std::move(early));
  auto made = std::make_unique<Plan>();
  made->kind = PlanKind::Extend;
  made->variable = target;
  made->expression = planned(*algebra.expression, *child, around);
  made->columns = joined_columns(*child, {target});
  made->certain = child->certain;
  const auto& expression = *algebra.expression;
  const bool copies = expression.kind == sparql::ExpressionKind::Variable &&
                      child->certain.has(around.scope->id_of(expression.variable));
  if (copies || expression.kind == sparql::ExpressionKind::Constant) made->certain.add(target);
  made->rows = child->rows;
  made->children.push_back(std::move(child));
  return apply(std::move(made), std::move(late), around);
}

PlanPointer Planning::plan_values(const Algebra& algebra, const Around& around) {
  auto made = std::make_unique<Plan>();
  made->kind = PlanKind::Values;
  made->values = &algebra.values;
  for (const auto& variable : algebra.values.variables) made->columns.push_back(around.scope->id_of(variable));
  made->certain = variables_of(algebra, *around.scope).certain;
  made->rows = static_cast<double>(algebra.values.rows.size());
  if (around.seed != nullptr) return join_plans(std::move(made), seed_plan(*around.seed), JoinMode::Inner);
  return made;
}

// GRAPH ?g over a pattern that has to be seen as a whole, or SPARQL's scoping would break: a round for each graph.
PlanPointer Planning::plan_each_graph(const Algebra& algebra, const Around& around) {
  Around inside = around;
  const auto* variable = std::get_if<sparql::Variable>(&algebra.graph);
  if (variable == nullptr) stop(base::ErrorKind::Unsupported, "a loop over one graph");
  inside.graph = GraphChoice{};
  inside.graph.mode = GraphMode::Current;
  PlanPointer child = plan(*algebra.left, inside);
  if (child->kind == PlanKind::Nothing) return child;
  auto made = std::make_unique<Plan>();
  made->kind = PlanKind::EachGraph;
  made->variable = around.scope->id_of(*variable);
  made->access.graph.mode = GraphMode::Each;
  made->access.graph.filter = dataset_.named_graphs;
  made->access.graph.variable = made->variable;
  made->columns = joined_columns(*child, {made->variable});
  made->certain = child->certain;
  made->certain.add(made->variable);
  made->rows = child->rows;
  made->children.push_back(std::move(child));
  return made;
}

}  // namespace quadrille::plan
