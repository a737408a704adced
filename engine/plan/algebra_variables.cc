#include "engine/plan/algebra_variables.h"

#include <variant>

namespace quadrille::plan {

using sparql::Algebra;
using sparql::AlgebraKind;
using sparql::Expression;
using sparql::ExpressionKind;

namespace {

void add_place(const sparql::PatternTerm& place, Scope& scope, VariableSet& set) {
  if (const auto* variable = std::get_if<sparql::Variable>(&place)) set.add(scope.id_of(*variable));
}

AlgebraVariables of_triples(const Algebra& algebra, Scope& scope) {
  AlgebraVariables found;
  for (const auto& triple : algebra.triples) {
    add_place(triple.subject, scope, found.possible);
    add_place(triple.predicate, scope, found.possible);
    add_place(triple.object, scope, found.possible);
  }
  found.certain = found.possible;
  return found;
}

AlgebraVariables of_values(const Algebra& algebra, Scope& scope) {
  AlgebraVariables found;
  for (size_t column = 0; column < algebra.values.variables.size(); ++column) {
    const VariableId id = scope.id_of(algebra.values.variables[column]);
    found.possible.add(id);
    bool everywhere = true;
    for (const auto& row : algebra.values.rows) everywhere = everywhere && row[column].has_value();
    if (everywhere) found.certain.add(id);
  }
  return found;
}

AlgebraVariables of_group(const Algebra& algebra, Scope& scope) {
  AlgebraVariables found;
  const AlgebraVariables below = variables_of(*algebra.left, scope);
  for (const auto& [variable, expression] : algebra.group_keys) {
    const VariableId id = scope.id_of(variable);
    found.possible.add(id);
    if (expression.kind == ExpressionKind::Variable && below.certain.has(scope.id_of(expression.variable))) {
      found.certain.add(id);
    }
  }
  for (const auto& aggregate : algebra.aggregates) found.possible.add(scope.id_of(aggregate.result));
  return found;
}

AlgebraVariables of_two(const Algebra& algebra, Scope& scope) {
  AlgebraVariables found = variables_of(*algebra.left, scope);
  if (algebra.kind == AlgebraKind::Minus) return found;
  const AlgebraVariables right = variables_of(*algebra.right, scope);
  found.possible.add_all(right.possible);
  if (algebra.kind == AlgebraKind::Join) found.certain.add_all(right.certain);
  if (algebra.kind == AlgebraKind::Union) found.certain.keep_only(right.certain);
  return found;
}

}  // namespace

AlgebraVariables variables_of(const Algebra& algebra, Scope& scope) {
  AlgebraVariables found;
  switch (algebra.kind) {
    case AlgebraKind::BasicGraphPattern: return of_triples(algebra, scope);
    case AlgebraKind::PropertyPath:
      add_place(algebra.path_subject, scope, found.possible);
      add_place(algebra.path_object, scope, found.possible);
      found.certain = found.possible;
      return found;
    case AlgebraKind::Join:
    case AlgebraKind::LeftJoin:
    case AlgebraKind::Union:
    case AlgebraKind::Minus: return of_two(algebra, scope);
    case AlgebraKind::Graph:
    case AlgebraKind::Service:
      found = variables_of(*algebra.left, scope);
      if (algebra.silent) found.certain = {};  // what fails has one solution, which binds nothing
      add_place(algebra.graph, scope, found.possible);
      add_place(algebra.graph, scope, found.certain);
      return found;
    case AlgebraKind::Extend:
      found = variables_of(*algebra.left, scope);
      found.possible.add(scope.id_of(algebra.variable));
      return found;
    case AlgebraKind::Values: return of_values(algebra, scope);
    case AlgebraKind::Group: return of_group(algebra, scope);
    case AlgebraKind::Project: {
      // The names inside are those of another scope, but what is projected has the same name on both sides. The inner
      // scope is not at hand here, so nothing is said to be certain.
      for (const auto& variable : algebra.projection) found.possible.add(scope.id_of(variable));
      return found;
    }
    case AlgebraKind::Filter:
    case AlgebraKind::OrderBy:
    case AlgebraKind::Distinct:
    case AlgebraKind::Reduced:
    case AlgebraKind::Slice: return variables_of(*algebra.left, scope);
  }
  return found;
}

VariableSet variables_of(const Expression& expression, Scope& scope, bool inside_exists) {
  VariableSet found;
  if (expression.kind == ExpressionKind::Variable) found.add(scope.id_of(expression.variable));
  for (const auto& argument : expression.arguments) found.add_all(variables_of(argument, scope, inside_exists));
  if (expression.pattern && inside_exists) found.add_all(mentioned_in(*expression.pattern, scope));
  return found;
}

VariableSet mentioned_in(const Algebra& algebra, Scope& scope) {
  VariableSet found;
  if (algebra.kind == AlgebraKind::Project) return variables_of(algebra, scope).possible;
  if (algebra.kind == AlgebraKind::BasicGraphPattern || algebra.kind == AlgebraKind::PropertyPath ||
      algebra.kind == AlgebraKind::Values) {
    return variables_of(algebra, scope).possible;
  }
  if (algebra.left) found.add_all(mentioned_in(*algebra.left, scope));
  if (algebra.right) found.add_all(mentioned_in(*algebra.right, scope));
  if (algebra.kind == AlgebraKind::Graph || algebra.kind == AlgebraKind::Service) {
    add_place(algebra.graph, scope, found);
  }
  if (algebra.kind == AlgebraKind::Extend) found.add(scope.id_of(algebra.variable));
  if (algebra.expression) found.add_all(variables_of(*algebra.expression, scope));
  for (const auto& condition : algebra.order) found.add_all(variables_of(condition.expression, scope));
  for (const auto& [variable, expression] : algebra.group_keys) {
    found.add(scope.id_of(variable));
    found.add_all(variables_of(expression, scope));
  }
  for (const auto& aggregate : algebra.aggregates) {
    found.add(scope.id_of(aggregate.result));
    if (aggregate.argument) found.add_all(variables_of(*aggregate.argument, scope));
  }
  return found;
}

bool has_exists(const Expression& expression) {
  if (expression.pattern) return true;
  for (const auto& argument : expression.arguments) {
    if (has_exists(argument)) return true;
  }
  return false;
}

namespace {

void add_names(const Expression& expression, const Scope& scope, VariableSet& found) {
  if (expression.kind == ExpressionKind::Variable) {
    const VariableId id = scope.find(expression.variable.name);
    if (id != no_variable) found.add(id);
  }
  for (const auto& argument : expression.arguments) add_names(argument, scope, found);
}

}  // namespace

std::optional<VariableSet> variables_read(const PlannedExpression& planned) {
  if (has_exists(*planned.expression)) return std::nullopt;
  VariableSet found;
  add_names(*planned.expression, *planned.scope, found);
  return found;
}

bool can_be_seeded(const Algebra& algebra, VariableId id, Scope& scope) {
  const auto certain_on_left = [&] { return variables_of(*algebra.left, scope).certain.has(id); };
  // An expression must not see a value that its own operand would not have given it.
  const auto hidden_from_expression = [&] {
    return !algebra.expression || !variables_of(*algebra.expression, scope).has(id) || certain_on_left();
  };
  switch (algebra.kind) {
    case AlgebraKind::BasicGraphPattern:
    case AlgebraKind::PropertyPath:
    case AlgebraKind::Values:
    case AlgebraKind::Service: return true;
    case AlgebraKind::Join:
    case AlgebraKind::Union: return can_be_seeded(*algebra.left, id, scope) && can_be_seeded(*algebra.right, id, scope);
    case AlgebraKind::LeftJoin:
      return can_be_seeded(*algebra.left, id, scope) && can_be_seeded(*algebra.right, id, scope) &&
             (certain_on_left() || (!mentioned_in(*algebra.right, scope).has(id) && hidden_from_expression()));
    case AlgebraKind::Filter: return can_be_seeded(*algebra.left, id, scope) && hidden_from_expression();
    case AlgebraKind::Extend:
      return id != scope.id_of(algebra.variable) && can_be_seeded(*algebra.left, id, scope) && hidden_from_expression();
    case AlgebraKind::Graph: {
      const auto* variable = std::get_if<sparql::Variable>(&algebra.graph);
      return (variable == nullptr || scope.id_of(*variable) != id) && can_be_seeded(*algebra.left, id, scope);
    }
    default: return false;  // Minus, sub-queries and groups see all solutions of what is below
  }
}

}  // namespace quadrille::plan
