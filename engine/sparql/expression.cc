#include "engine/sparql/expression.h"

#include <utility>

#include "engine/sparql/algebra.h"

namespace quadrille::sparql {

Expression Expression::of(Variable variable) {
  Expression out;
  out.kind = ExpressionKind::Variable;
  out.variable = std::move(variable);
  return out;
}

Expression Expression::of(model::Term constant) {
  Expression out;
  out.kind = ExpressionKind::Constant;
  out.constant = std::move(constant);
  return out;
}

Expression Expression::call(Function function, std::vector<Expression> arguments) {
  Expression out;
  out.kind = ExpressionKind::Call;
  out.function = function;
  out.arguments = std::move(arguments);
  return out;
}

}  // namespace quadrille::sparql
