// Calls of functions, EXISTS and aggregates. Grammar rules 70 to 72, 121 to 128.
#include "engine/sparql/assigned.h"
#include "engine/sparql/function_names.h"
#include "engine/sparql/parser.h"

namespace quadrille::sparql {
namespace {

std::string count_of_arguments(size_t count) {
  return std::to_string(count) + (count == 1 ? " argument" : " arguments");
}

std::string arguments_wanted(const FunctionSignature& signature) {
  if (signature.arguments_min == signature.arguments_max) return count_of_arguments(signature.arguments_min);
  return std::to_string(signature.arguments_min) + " to " + count_of_arguments(signature.arguments_max);
}

}  // namespace

bool Parser::iri_or_call(ExpressionTree& out, bool must_be_call) {
  std::string name;
  if (!iri(name)) return false;
  if (!in_.at(TokenKind::LeftParenthesis) && !in_.at(TokenKind::Nil)) {
    if (must_be_call) return in_.fail_expected("the arguments of a function, in parentheses");
    out.expression = Expression::of(model::Term::iri(std::move(name)));
    return true;
  }
  std::vector<ExpressionTree> arguments;
  if (!argument_list(arguments)) return false;
  out = make_call(Function::ByIri, std::move(arguments));
  out.expression.function_iri = std::move(name);
  return check_depth(out.depth);
}

bool Parser::named_call(ExpressionTree& out) {
  if (in_.take_word("EXISTS")) return exists(ExpressionKind::Exists, out);
  if (in_.take_word("NOT")) return in_.expect_word("EXISTS") && exists(ExpressionKind::NotExists, out);
  if (const auto kind = find_aggregate(in_.current().text)) return aggregate(*kind, out);
  return built_in_call(out);
}

bool Parser::exists(ExpressionKind kind, ExpressionTree& out) {
  PatternTree pattern;
  if (!group(pattern)) return false;
  out = make_exists(kind, std::move(pattern));
  return check_depth(out.depth);
}

bool Parser::built_in_call(ExpressionTree& out) {
  const FunctionSignature* signature = find_function(in_.current().text);
  if (signature == nullptr) {
    return in_.fail_expected("an expression (a name that stands alone is that of a function, true or false)");
  }
  const size_t offset = in_.current().offset;
  in_.advance();
  std::vector<ExpressionTree> arguments;
  if (!argument_list(arguments)) return false;
  if (arguments.size() < signature->arguments_min ||
      (signature->arguments_max != any_number && arguments.size() > signature->arguments_max)) {
    return in_.fail_at(offset, "found " + std::string(signature->name) + " with " +
                                   count_of_arguments(arguments.size()) + ", expected " + arguments_wanted(*signature));
  }
  if (signature->function == Function::Bound && arguments.front().expression.kind != ExpressionKind::Variable) {
    return in_.fail_at(offset, "found BOUND of an expression, expected BOUND of a variable");
  }
  if (signature->function == Function::Iri && !base_iri_.empty()) {
    arguments.emplace_back().expression = Expression::of(model::Term::iri(base_iri_));
  }
  out = make_call(signature->function, std::move(arguments));
  return check_depth(out.depth);
}

// Adds to `out`.
bool Parser::argument_list(std::vector<ExpressionTree>& out) {
  if (in_.take(TokenKind::Nil)) return true;
  if (!in_.expect(TokenKind::LeftParenthesis, "arguments in parentheses")) return false;
  if (in_.at_word("DISTINCT")) {
    return in_.fail_at(in_.current().offset,
                       "found DISTINCT, expected an expression: aggregates are not called by IRI here",
                       base::ErrorKind::Unsupported);
  }
  do {
    if (!expression(out.emplace_back())) return false;
  } while (in_.take(TokenKind::Comma));
  return in_.expect(TokenKind::RightParenthesis, "an operator, ',' or ')'");
}

bool Parser::aggregate(AggregateKind kind, ExpressionTree& out) {
  if (aggregates_ == nullptr) {
    return in_.fail_expected(is_inside_aggregate_
                                 ? "an expression without aggregates, since it stands inside of one"
                                 : "an expression without aggregates; they may stand in SELECT, HAVING and ORDER BY");
  }
  AggregateScope& scope = *aggregates_;
  in_.advance();
  Aggregate made;
  made.kind = kind;
  int depth = 0;
  {
    const Assigned<AggregateScope*> no_aggregates(aggregates_, nullptr);
    const Assigned<bool> inside(is_inside_aggregate_, true);
    if (!aggregate_body(made, depth)) return false;
  }
  made.result = make_hidden();
  out.expression = Expression::of(made.result);
  scope.depth = std::max(scope.depth, depth);
  scope.aggregates.push_back(std::move(made));
  return true;
}

bool Parser::aggregate_body(Aggregate& out, int& depth) {
  if (!in_.expect(TokenKind::LeftParenthesis, "the argument of an aggregate, in parentheses")) return false;
  out.distinct = in_.take_word("DISTINCT");
  if (out.kind != AggregateKind::Count || !in_.take(TokenKind::Star)) {
    ExpressionTree argument;
    if (!expression(argument)) return false;
    depth = argument.depth;
    out.argument = std::move(argument.expression);
  }
  if (out.kind == AggregateKind::GroupConcat && in_.take(TokenKind::Semicolon) && !separator(out.separator)) {
    return false;
  }
  return in_.expect(TokenKind::RightParenthesis, "an operator or ')'");
}

bool Parser::separator(std::string& out) {
  if (!in_.expect_word("SEPARATOR") || !in_.expect(TokenKind::Equal, "'='")) return false;
  out.clear();
  return string_content(out);
}

}  // namespace quadrille::sparql
