#include "engine/sparql/scope.h"

#include <unordered_set>

namespace quadrille::sparql {
namespace {

template <class Visit>
bool visit_term(const PatternTerm& term, Visit& visit) {
  const auto* variable = std::get_if<Variable>(&term);
  return variable != nullptr && visit(*variable);
}

// Calls `visit` for each place where the pattern binds a variable in scope, until it returns true; then returns true.
template <class Visit>
bool visit_bound(const Algebra& pattern, Visit& visit) {
  switch (pattern.kind) {
    case AlgebraKind::BasicGraphPattern:
      for (const auto& triple : pattern.triples) {
        if (visit_term(triple.subject, visit) || visit_term(triple.predicate, visit) ||
            visit_term(triple.object, visit))
          return true;
      }
      return false;
    case AlgebraKind::PropertyPath:
      return visit_term(pattern.path_subject, visit) || visit_term(pattern.path_object, visit);
    case AlgebraKind::Join:
    case AlgebraKind::LeftJoin:
    case AlgebraKind::Union: return visit_bound(*pattern.left, visit) || visit_bound(*pattern.right, visit);
    case AlgebraKind::Graph:
    case AlgebraKind::Service: return visit_term(pattern.graph, visit) || visit_bound(*pattern.left, visit);
    case AlgebraKind::Extend: return visit_bound(*pattern.left, visit) || visit(pattern.variable);
    case AlgebraKind::Values:
      for (const auto& variable : pattern.values.variables) {
        if (visit(variable)) return true;
      }
      return false;
    case AlgebraKind::Group:
      for (const auto& [variable, key] : pattern.group_keys) {
        if (visit(variable)) return true;
      }
      return false;
    case AlgebraKind::Project:
      for (const auto& variable : pattern.projection) {
        if (visit(variable)) return true;
      }
      return false;
    case AlgebraKind::Minus:
    case AlgebraKind::Filter:
    case AlgebraKind::OrderBy:
    case AlgebraKind::Distinct:
    case AlgebraKind::Reduced:
    case AlgebraKind::Slice: return visit_bound(*pattern.left, visit);
  }
  return false;
}

}  // namespace

std::vector<Variable> visible_variables(const Algebra& pattern) {
  std::vector<Variable> out;
  std::unordered_set<std::string_view> seen;  // views into the pattern
  auto visit = [&](const Variable& variable) {
    if (!variable.is_hidden() && seen.insert(variable.name).second) out.push_back(variable);
    return false;
  };
  visit_bound(pattern, visit);
  return out;
}

bool is_visible(const Algebra& pattern, const Variable& variable) {
  auto visit = [&](const Variable& bound) { return bound.name == variable.name; };
  return visit_bound(pattern, visit);
}

void for_each_variable(const Expression& expression, const std::function<void(const Variable&)>& visit) {
  if (expression.kind == ExpressionKind::Variable) visit(expression.variable);
  for (const auto& argument : expression.arguments) for_each_variable(argument, visit);
}

void for_each_variable(Expression& expression, const std::function<void(Variable&)>& visit) {
  if (expression.kind == ExpressionKind::Variable) visit(expression.variable);
  for (auto& argument : expression.arguments) for_each_variable(argument, visit);
}

}  // namespace quadrille::sparql
