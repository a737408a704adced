// Expressions. Grammar rules 69, 110 to 120.
#include "engine/sparql/function_names.h"
#include "engine/sparql/parser.h"

namespace quadrille::sparql {
namespace {

std::optional<Function> comparison(TokenKind kind) noexcept {
  switch (kind) {
    case TokenKind::Equal: return Function::Equal;
    case TokenKind::NotEqual: return Function::NotEqual;
    case TokenKind::Less: return Function::Less;
    case TokenKind::LessOrEqual: return Function::LessOrEqual;
    case TokenKind::Greater: return Function::Greater;
    case TokenKind::GreaterOrEqual: return Function::GreaterOrEqual;
    default: return std::nullopt;
  }
}

bool is_number(TokenKind kind) noexcept {
  return kind == TokenKind::Integer || kind == TokenKind::Decimal || kind == TokenKind::Double;
}

}  // namespace

bool Parser::expression(ExpressionTree& out) {
  Nesting level(*this);
  if (!level.check()) return false;
  return balanced_chain(TokenKind::DoublePipe, Function::Or, &Parser::and_expression, out);
}

bool Parser::and_expression(ExpressionTree& out) {
  return balanced_chain(TokenKind::DoubleAmpersand, Function::And, &Parser::relational_expression, out);
}

bool Parser::balanced_chain(TokenKind sign, Function function, ExpressionRule rule, ExpressionTree& out) {
  if (!(this->*rule)(out)) return false;
  if (!in_.at(sign)) return true;
  std::vector<ExpressionTree> operands;
  operands.push_back(std::move(out));
  while (in_.take(sign)) {
    if (!(this->*rule)(operands.emplace_back())) return false;
  }
  out = make_balanced(function, std::move(operands));
  return check_depth(out.depth);
}

bool Parser::binary(Function function, ExpressionRule rule, ExpressionTree& left) {
  ExpressionTree right;
  if (!(this->*rule)(right)) return false;
  left = make_call(function, std::move(left), std::move(right));
  return check_depth(left.depth);
}

bool Parser::relational_expression(ExpressionTree& out) {
  if (!additive_expression(out)) return false;
  if (const auto function = comparison(in_.current().kind)) {
    in_.advance();
    return binary(*function, &Parser::additive_expression, out);
  }
  if (in_.take_word("IN")) return in_list(Function::In, out);
  if (in_.take_word("NOT")) return in_.expect_word("IN") && in_list(Function::NotIn, out);
  return true;
}

bool Parser::in_list(Function function, ExpressionTree& left) {
  std::vector<ExpressionTree> arguments;
  arguments.push_back(std::move(left));
  if (!argument_list(arguments)) return false;
  left = make_call(function, std::move(arguments));
  return check_depth(left.depth);
}

bool Parser::additive_expression(ExpressionTree& out) {
  if (!multiplicative_expression(out)) return false;
  for (;;) {
    Function function = Function::Add;
    if (is_number(in_.current().kind)) {  // "?x -1": the sign was read as part of the number
      const char sign = in_.current().text.front();
      if (sign != '+' && sign != '-') return true;
      if (sign == '-') function = Function::Subtract;
      in_.drop_sign();
    } else if (in_.at(TokenKind::Plus) || in_.at(TokenKind::Minus)) {
      if (in_.at(TokenKind::Minus)) function = Function::Subtract;
      in_.advance();
    } else {
      return true;
    }
    if (!binary(function, &Parser::multiplicative_expression, out)) return false;
  }
}

bool Parser::multiplicative_expression(ExpressionTree& out) {
  if (!unary_expression(out)) return false;
  for (;;) {
    if (!in_.at(TokenKind::Star) && !in_.at(TokenKind::Slash)) return true;
    const Function function = in_.at(TokenKind::Star) ? Function::Multiply : Function::Divide;
    in_.advance();
    if (!binary(function, &Parser::unary_expression, out)) return false;
  }
}

bool Parser::unary_expression(ExpressionTree& out) {
  Function function = Function::Not;
  switch (in_.current().kind) {
    case TokenKind::Not: break;
    case TokenKind::Minus: function = Function::Negate; break;
    case TokenKind::Plus: function = Function::Plus; break;
    default: return primary_expression(out);
  }
  Nesting level(*this);
  if (!level.check()) return false;
  in_.advance();
  std::vector<ExpressionTree> operand(1);
  // "!!?x" is SPARQL 1.2; no other sign may follow a sign.
  if (function == Function::Not ? !unary_expression(operand.front()) : !primary_expression(operand.front())) {
    return false;
  }
  out = make_call(function, std::move(operand));
  return check_depth(out.depth);
}

bool Parser::primary_expression(ExpressionTree& out) {
  switch (in_.current().kind) {
    case TokenKind::LeftParenthesis: return parenthesized(out);
    case TokenKind::Variable: out.expression.kind = ExpressionKind::Variable; return variable(out.expression.variable);
    case TokenKind::IriRef:
    case TokenKind::PrefixedName: return iri_or_call(out, false);
    default: break;
  }
  if (at_literal()) {
    out.expression.kind = ExpressionKind::Constant;
    return literal(out.expression.constant);
  }
  if (in_.at(TokenKind::Word)) return named_call(out);
  return in_.fail_expected("an expression");
}

bool Parser::parenthesized(ExpressionTree& out) {
  if (!in_.expect(TokenKind::LeftParenthesis, "'('")) return false;
  return expression(out) && in_.expect(TokenKind::RightParenthesis, "an operator or ')'");
}

bool Parser::at_constraint() const noexcept {
  if (in_.at(TokenKind::LeftParenthesis) || at_iri()) return true;
  if (!in_.at(TokenKind::Word)) return false;
  const std::string_view word = in_.current().text;
  return in_.at_word("EXISTS") || in_.at_word("NOT") || find_function(word) != nullptr || find_aggregate(word);
}

bool Parser::constraint(ExpressionTree& out) {
  if (in_.at(TokenKind::LeftParenthesis)) return parenthesized(out);
  if (at_iri()) return iri_or_call(out, true);
  if (in_.at(TokenKind::Word) && !at_literal()) return named_call(out);
  return in_.fail_expected("an expression in parentheses, or a call of a function");
}

}  // namespace quadrille::sparql
