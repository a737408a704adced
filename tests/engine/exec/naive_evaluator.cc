#include "tests/engine/exec/naive_evaluator.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

namespace quadrille::test {

using model::Term;
using sparql::Algebra;
using sparql::AlgebraKind;
using sparql::Expression;
using sparql::ExpressionKind;
using sparql::Function;

namespace {

const std::string xsd_integer = "http://www.w3.org/2001/XMLSchema#integer";

std::optional<Solution> joined(const Solution& left, const Solution& right) {
  Solution both = left;
  for (const auto& [name, term] : right) {
    const auto [entry, is_new] = both.emplace(name, term);
    if (!is_new && entry->second != term) return std::nullopt;
  }
  return both;
}

bool bind(const sparql::PatternTerm& place, const Term& term, Solution& row) {
  const auto* variable = std::get_if<sparql::Variable>(&place);
  if (variable == nullptr) return std::get<Term>(place) == term;
  const auto [entry, is_new] = row.emplace(variable->name, term);
  return is_new || entry->second == term;
}

}  // namespace

SolutionList NaiveEvaluator::match(const Algebra& algebra, const Solution& outside) const {
  SolutionList rows = {outside};
  for (const auto& triple : algebra.triples) {
    SolutionList next;
    for (const Solution& row : rows) {
      for (const auto& quad : triples_) {
        Solution more = row;
        if (bind(triple.subject, quad.subject, more) && bind(triple.predicate, quad.predicate, more) &&
            bind(triple.object, quad.object, more)) {
          next.push_back(std::move(more));
        }
      }
    }
    rows = std::move(next);
  }
  return rows;
}

SolutionList NaiveEvaluator::left_join(const Algebra& algebra, const Solution& outside) const {
  SolutionList found;
  const SolutionList right = evaluate(*algebra.right, outside);
  for (const Solution& row : evaluate(*algebra.left, outside)) {
    bool any = false;
    for (const Solution& other : right) {
      const auto both = joined(row, other);
      if (!both || (algebra.expression && truth(*algebra.expression, *both) != true)) continue;
      any = true;
      found.push_back(*both);
    }
    if (!any) found.push_back(row);
  }
  return found;
}

SolutionList NaiveEvaluator::minus(const Algebra& algebra, const Solution& outside) const {
  SolutionList found;
  const SolutionList right = evaluate(*algebra.right, outside);
  for (const Solution& row : evaluate(*algebra.left, outside)) {
    const bool removed = std::any_of(right.begin(), right.end(), [&](const Solution& other) {
      const bool shares = std::any_of(other.begin(), other.end(), [&](const auto& entry) {
        return row.contains(entry.first) && !outside.contains(entry.first);
      });
      return shares && joined(row, other);
    });
    if (!removed) found.push_back(row);
  }
  return found;
}

SolutionList NaiveEvaluator::evaluate(const Algebra& algebra, const Solution& outside) const {
  SolutionList found;
  switch (algebra.kind) {
    case AlgebraKind::BasicGraphPattern: return match(algebra, outside);
    case AlgebraKind::LeftJoin: return left_join(algebra, outside);
    case AlgebraKind::Minus: return minus(algebra, outside);
    case AlgebraKind::Join: {
      const SolutionList right = evaluate(*algebra.right, outside);
      for (const Solution& row : evaluate(*algebra.left, outside)) {
        for (const Solution& other : right) {
          if (const auto both = joined(row, other)) found.push_back(*both);
        }
      }
      return found;
    }
    case AlgebraKind::Union: {
      found = evaluate(*algebra.left, outside);
      for (Solution& row : evaluate(*algebra.right, outside)) found.push_back(std::move(row));
      return found;
    }
    case AlgebraKind::Filter:
      for (Solution& row : evaluate(*algebra.left, outside)) {
        if (truth(*algebra.expression, row) == true) found.push_back(std::move(row));
      }
      return found;
    case AlgebraKind::Extend:
      for (Solution& row : evaluate(*algebra.left, outside)) {
        if (const auto term = value(*algebra.expression, row)) row.emplace(algebra.variable.name, *term);
        found.push_back(std::move(row));
      }
      return found;
    case AlgebraKind::Values:
      for (const auto& values : algebra.values.rows) {
        Solution row;
        for (size_t i = 0; i < values.size(); ++i) {
          if (values[i]) row.emplace(algebra.values.variables[i].name, *values[i]);
        }
        if (const auto both = joined(row, outside)) found.push_back(*both);
      }
      return found;
    case AlgebraKind::Project:
      for (const Solution& row : evaluate(*algebra.left, {})) {
        Solution kept;
        for (const auto& variable : algebra.projection) {
          if (row.contains(variable.name)) kept.emplace(variable.name, row.at(variable.name));
        }
        if (const auto both = joined(kept, outside)) found.push_back(*both);
      }
      return found;
    case AlgebraKind::Service:
      // The endpoint has the same triples, and is asked for the pattern as it is written.
      for (const Solution& row : evaluate(*algebra.left, {})) {
        if (const auto both = joined(row, outside)) found.push_back(*both);
      }
      return found;
    case AlgebraKind::Distinct: {
      const SolutionList rows = evaluate(*algebra.left, outside);
      const std::set<Solution> distinct(rows.begin(), rows.end());
      return {distinct.begin(), distinct.end()};
    }
    case AlgebraKind::Group: return group(algebra, outside);
    default: FAIL("the naive evaluator does not know this operator");
  }
  return found;
}

SolutionList NaiveEvaluator::group(const Algebra& algebra, const Solution& outside) const {
  std::map<Solution, SolutionList> groups;
  for (const Solution& row : evaluate(*algebra.left, outside)) {
    Solution key;
    for (const auto& [variable, expression] : algebra.group_keys) {
      if (const auto term = value(expression, row)) key.emplace(variable.name, *term);
    }
    groups[key].push_back(row);
  }
  SolutionList found;
  for (const auto& [key, rows] : groups) {
    Solution& row = found.emplace_back(key);
    for (const auto& one : algebra.aggregates) {
      if (const auto result = aggregate(one, rows)) row.emplace(one.result.name, *result);
    }
  }
  return found;
}

std::optional<Term> NaiveEvaluator::aggregate(const sparql::Aggregate& aggregate, const SolutionList& rows) const {
  const auto integer = [](int64_t number) { return Term::typed_literal(std::to_string(number), xsd_integer); };
  if (!aggregate.argument) return integer(static_cast<int64_t>(rows.size()));
  std::vector<std::optional<Term>> values;
  for (const Solution& row : rows) values.push_back(value(*aggregate.argument, row));
  if (aggregate.distinct) {
    const std::set<std::optional<Term>> distinct(values.begin(), values.end());
    values.assign(distinct.begin(), distinct.end());
  }
  if (aggregate.kind == sparql::AggregateKind::Count) {
    return integer(std::count_if(values.begin(), values.end(), [](const auto& one) { return one.has_value(); }));
  }
  int64_t sum = 0;  // of integers: all else is an error
  for (const auto& one : values) {
    if (!one || !one->is_literal()) return std::nullopt;
    sum += std::stoi(one->text());
  }
  return integer(sum);
}

std::optional<Term> NaiveEvaluator::value(const Expression& expression, const Solution& row) const {
  if (expression.kind == ExpressionKind::Constant) return *expression.constant;
  if (expression.kind == ExpressionKind::Variable) {
    const auto entry = row.find(expression.variable.name);
    return entry == row.end() ? std::nullopt : std::optional(entry->second);
  }
  const auto argument = value(expression.arguments[0], row);
  if (!argument) return std::nullopt;
  if (expression.function == Function::Str) return Term::literal(argument->text());
  if (expression.function == Function::StrLen) {
    return Term::typed_literal(std::to_string(argument->text().size()), xsd_integer);
  }
  if (expression.function == Function::ByIri) {  // xsd:float of text: the texts here are IRIs or digits
    if (argument->text().find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
    return Term::typed_literal(argument->text(), expression.function_iri);
  }
  FAIL("the naive evaluator does not know this expression");
  return std::nullopt;
}

std::optional<bool> NaiveEvaluator::truth(const Expression& expression, const Solution& row) const {
  if (expression.pattern) {
    return evaluate(*expression.pattern, row).empty() == (expression.kind == ExpressionKind::NotExists);
  }
  const auto& arguments = expression.arguments;
  switch (expression.function) {
    case Function::Bound: return row.contains(arguments[0].variable.name);
    case Function::Not: {
      const auto one = truth(arguments[0], row);
      return one ? std::optional(!*one) : std::nullopt;
    }
    case Function::And:
    case Function::Or: {
      const bool decisive = expression.function == Function::Or;
      std::optional<bool> result = !decisive;
      for (const auto& argument : arguments) {
        const auto one = truth(argument, row);
        if (one == decisive) return decisive;
        if (!one) result = std::nullopt;
      }
      return result;
    }
    case Function::Equal:
    case Function::NotEqual: {  // all terms here are IRIs, or integers in canonical form
      const auto left = value(arguments[0], row);
      const auto right = value(arguments[1], row);
      if (!left || !right) return std::nullopt;
      return (*left == *right) == (expression.function == Function::Equal);
    }
    case Function::Less:
    case Function::Greater: {
      const auto left = value(arguments[0], row);
      const auto right = value(arguments[1], row);
      if (!left || !right || !left->is_literal() || !right->is_literal()) return std::nullopt;
      const bool is_less = expression.function == Function::Less;
      return is_less ? std::stoi(left->text()) < std::stoi(right->text())
                     : std::stoi(left->text()) > std::stoi(right->text());
    }
    default: FAIL("the naive evaluator does not know this function");
  }
  return std::nullopt;
}

}  // namespace quadrille::test
