// Filters, and the EXISTS patterns inside expressions.
#include <algorithm>
#include <utility>

#include "engine/plan/cost.h"
#include "engine/plan/planning.h"

namespace quadrille::plan {

using sparql::Expression;
using sparql::ExpressionKind;
using sparql::Function;

namespace {

void split_into(const Expression& expression, Scope& scope, Conditions& target) {
  if (expression.kind == ExpressionKind::Call && expression.function == Function::And) {
    for (const auto& argument : expression.arguments) split_into(argument, scope, target);
    return;
  }
  target.push_back(Condition{&expression, variables_of(expression, scope, false), has_exists(expression)});
}

// `a < 3` is `3 > a`.
Function turned(Function function) {
  switch (function) {
    case Function::Less: return Function::Greater;
    case Function::LessOrEqual: return Function::GreaterOrEqual;
    case Function::Greater: return Function::Less;
    case Function::GreaterOrEqual: return Function::LessOrEqual;
    default: return function;
  }
}

}  // namespace

// A scan in the order of its objects may pass over those that the condition drops.
void Planning::limit_objects(Plan& scan, const Expression& condition, Scope& scope) {
  if (scan.kind != PlanKind::Scan || scan.access.order != model::QuadOrder::Posg || scan.access.prefix_length != 1)
    return;
  if (condition.kind != ExpressionKind::Call || condition.arguments.size() != 2) return;
  const bool is_turned = condition.arguments[0].kind == ExpressionKind::Constant;
  const Expression& variable = condition.arguments[is_turned ? 1 : 0];
  const Expression& constant = condition.arguments[is_turned ? 0 : 1];
  if (variable.kind != ExpressionKind::Variable || constant.kind != ExpressionKind::Constant) return;
  const VariableId object = scan.access.triple[2].variable;
  if (object == no_variable || scope.find(variable.variable.name) != object) return;
  const auto id = id_of(*constant.constant);
  if (!id) return;
  const auto range = range_of(is_turned ? turned(condition.function) : condition.function, *id);
  if (range) scan.access.objects = narrowed(scan.access.objects, *range);
}

// The conjuncts: a filter drops a row on false and on an error alike, so `a && b` is the filter a after the filter b.
Conditions Planning::split(const Expression& expression, Scope& scope) {
  Conditions found;
  split_into(expression, scope, found);
  return found;
}

PlanPointer Planning::apply(PlanPointer child, Conditions conditions, const Around& around) {
  if (conditions.empty() || child->kind == PlanKind::Nothing) return child;
  auto made = std::make_unique<Plan>();
  made->kind = PlanKind::Filter;
  made->columns = child->columns;
  made->certain = child->certain;
  made->rows = child->rows;
  // Cheap conditions first.
  std::stable_partition(conditions.begin(), conditions.end(), [](const Condition& one) { return !one.has_exists; });
  for (const Condition& condition : conditions) {
    made->rows *= share_of_condition;
    limit_objects(*child, *condition.expression, *around.scope);
    made->conditions.push_back(planned(*condition.expression, *child, around));
  }
  made->children.push_back(std::move(child));
  return made;
}

PlannedExpression Planning::planned(const Expression& expression, const Plan& rows, const Around& around) {
  PlannedExpression made;
  made.expression = &expression;
  made.scope = around.scope;
  plan_exists_in(expression, rows, around, made);
  return made;
}

// True if each variable that the pattern shares with the rows is surely bound on both sides, and may be handed in.
bool Planning::says_the_same_unseeded(const sparql::Algebra& pattern, const Plan& rows, const SeedRows& seed,
                                      const Around& around) {
  if (seed.variables.empty()) return false;
  const VariableSet certain = variables_of(pattern, *around.scope).certain;
  return std::all_of(seed.variables.begin(), seed.variables.end(), [&](VariableId id) {
    return rows.certain.has(id) && certain.has(id) && can_be_seeded(pattern, id, *around.scope);
  });
}

void Planning::plan_exists_in(const Expression& expression, const Plan& rows, const Around& around,
                              PlannedExpression& target) {
  for (const auto& argument : expression.arguments) plan_exists_in(argument, rows, around, target);
  if (!expression.pattern) return;
  const VariableSet mentioned = mentioned_in(*expression.pattern, *around.scope);
  std::vector<VariableId> variables;
  for (VariableId id : rows.columns) {
    if (mentioned.has(id)) variables.push_back(id);
  }
  const SeedRows seed = make_seed(rows, std::move(variables));
  Around inside = around;
  inside.seed = &seed;
  auto exists = std::make_shared<ExistsPlan>();
  exists->seed = seed.seed;
  exists->row_variable = seed.row_variable;
  exists->seed_variables = seed.variables;
  exists->plan = plan(*expression.pattern, inside);
  if (rows.rows > tuning_.rows_worth_a_second_plan && may_plan_again() &&
      says_the_same_unseeded(*expression.pattern, rows, seed, around)) {
    ++planned_again_;
    inside.seed = nullptr;
    inside.stops_early = false;
    exists->whole = plan(*expression.pattern, inside);
    exists->cost_of_seed = cost_of(*exists->plan, tuning_) / seed.rows;
    exists->cost_of_whole = cost_of(*exists->whole, tuning_) + exists->whole->rows * cost_of_building;
  }
  target.exists.emplace_back(&expression, std::move(exists));
}

}  // namespace quadrille::plan
