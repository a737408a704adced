#include "engine/sparql/print_expression.h"

#include "engine/sparql/function_names.h"
#include "engine/sparql/print.h"

namespace quadrille::sparql {
namespace {

bool is_operator(Function function) noexcept { return function < Function::Bound; }

void print_list(const std::vector<Expression>& arguments, size_t first, size_t indent, std::string& out) {
  out += '(';
  for (size_t i = first; i < arguments.size(); ++i) {
    if (i > first) out += ", ";
    print_expression(arguments[i], indent, out);
  }
  out += ')';
}

void print_operator(const Expression& call, size_t indent, std::string& out) {
  const std::string_view sign = name_of(call.function);
  const bool is_list = call.function == Function::In || call.function == Function::NotIn;
  out += '(';
  if (call.arguments.size() == 1 && !is_list) {
    out += sign;
    print_expression(call.arguments.front(), indent, out);
  } else {
    print_expression(call.arguments.front(), indent, out);
    out.append(" ").append(sign).append(" ");
    if (is_list) {
      print_list(call.arguments, 1, indent, out);
    } else {
      print_expression(call.arguments.back(), indent, out);
    }
  }
  out += ')';
}

void print_path(const Path& path, std::string& out) {
  const auto print_parts = [&](const char* between) {
    out += '(';
    for (size_t i = 0; i < path.parts.size(); ++i) {
      if (i > 0) out += between;
      print_path(path.parts[i], out);
    }
    out += ')';
  };
  switch (path.kind) {
    case PathKind::Link: out += model::to_ntriples(*path.link); break;
    case PathKind::Inverse:
      out += '^';
      print_path(path.parts.front(), out);
      break;
    case PathKind::Sequence: print_parts("/"); break;
    case PathKind::Alternative: print_parts("|"); break;
    case PathKind::ZeroOrMore: print_parts(""), out += '*'; break;
    case PathKind::OneOrMore: print_parts(""), out += '+'; break;
    case PathKind::ZeroOrOne: print_parts(""), out += '?'; break;
    case PathKind::NegatedSet: {
      const char* between = "!(";
      for (const auto& link : path.forbidden) out.append(between).append(model::to_ntriples(link)), between = "|";
      for (const auto& link : path.forbidden_inverse) {
        out.append(between).append("^").append(model::to_ntriples(link));
        between = "|";
      }
      out += *between == '!' ? "!()" : ")";
    }
  }
}

}  // namespace

void print_expression(const Expression& expression, size_t indent, std::string& out) {
  switch (expression.kind) {
    case ExpressionKind::Variable: out += "?" + expression.variable.name; return;
    case ExpressionKind::Constant: out += model::to_ntriples(*expression.constant); return;
    case ExpressionKind::Exists:
    case ExpressionKind::NotExists:
      out += expression.kind == ExpressionKind::Exists ? "EXISTS {\n" : "NOT EXISTS {\n";
      print_pattern(*expression.pattern, indent + 4, out);
      out.append(indent + 2, ' ').append("}");
      return;
    case ExpressionKind::Call: break;
  }
  if (is_operator(expression.function)) {
    print_operator(expression, indent, out);
    return;
  }
  if (expression.function == Function::ByIri) {
    out.append("<").append(expression.function_iri).append(">");
  } else {
    out += name_of(expression.function);
  }
  print_list(expression.arguments, 0, indent, out);
}

std::string to_text(const Expression& expression) {
  std::string out;
  print_expression(expression, 0, out);
  return out;
}

std::string to_text(const Path& path) {
  std::string out;
  print_path(path, out);
  return out;
}

std::string to_text(const Aggregate& aggregate) {
  std::string out(name_of(aggregate.kind));
  out += aggregate.distinct ? "(DISTINCT " : "(";
  out += aggregate.argument ? to_text(*aggregate.argument) : "*";
  if (aggregate.kind == AggregateKind::GroupConcat && aggregate.separator != " ") {
    out += "; separator " + model::to_ntriples(model::Term::literal(aggregate.separator));
  }
  return out + ")";
}

}  // namespace quadrille::sparql
