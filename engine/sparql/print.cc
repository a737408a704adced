#include "engine/sparql/print.h"

#include "engine/sparql/print_expression.h"

namespace quadrille::sparql {
namespace {

const char* name_of(AlgebraKind kind) noexcept {
  constexpr const char* names[] = {"BasicGraphPattern",
                                   "PropertyPath",
                                   "Join",
                                   "LeftJoin",
                                   "Union",
                                   "Minus",
                                   "Filter",
                                   "Graph",
                                   "Service",
                                   "Extend",
                                   "Values",
                                   "Group",
                                   "OrderBy",
                                   "Project",
                                   "Distinct",
                                   "Reduced",
                                   "Slice"};
  static_assert(std::size(names) == static_cast<size_t>(AlgebraKind::Slice) + 1);
  return names[static_cast<size_t>(kind)];
}

// Prints one tree. Recursion is as deep as the tree, which the parser bounds.
class AlgebraPrinter {
 public:
  AlgebraPrinter(std::string& out, size_t indent) : out_(out), indent_(indent) {}

  void print(const Algebra& node) {
    out_.append(indent_, ' ').append(name_of(node.kind));
    print_details(node);
    out_ += '\n';
    indent_ += 2;
    for (const auto& triple : node.triples) out_.append(indent_, ' ').append(to_text(triple)).append("\n");
    if (node.kind == AlgebraKind::Values) print_rows(node.values);
    if (node.left) print(*node.left);
    if (node.right) print(*node.right);
    indent_ -= 2;
  }

 private:
  void print_details(const Algebra& node) {
    switch (node.kind) {
      case AlgebraKind::PropertyPath:
        out_ += " " + to_text(node.path_subject) + " " + to_text(node.path) + " " + to_text(node.path_object);
        break;
      case AlgebraKind::Service:
        if (node.silent) out_ += " SILENT";
        [[fallthrough]];
      case AlgebraKind::Graph: out_ += " " + to_text(node.graph); break;
      case AlgebraKind::Extend: out_ += " ?" + node.variable.name + " :="; break;
      case AlgebraKind::Values: print_variables(node.values.variables); break;
      case AlgebraKind::Project: print_variables(node.projection); break;
      case AlgebraKind::Group: print_group(node); break;
      case AlgebraKind::OrderBy: print_order(node.order); break;
      case AlgebraKind::Slice:
        out_ += " offset " + std::to_string(node.offset);
        if (node.limit) out_ += " limit " + std::to_string(*node.limit);
        break;
      default: break;
    }
    if (!node.expression) return;
    out_ += ' ';
    print_expression(*node.expression, indent_, out_);
  }

  void print_variables(const std::vector<Variable>& variables) {
    for (const auto& variable : variables) out_ += " ?" + variable.name;
  }

  void print_rows(const ValuesTable& table) {
    for (const auto& row : table.rows) {
      out_.append(indent_, ' ').append("(");
      for (size_t i = 0; i < row.size(); ++i) {
        if (i > 0) out_ += ' ';
        out_ += row[i] ? model::to_ntriples(*row[i]) : "UNDEF";
      }
      out_ += ")\n";
    }
  }

  void print_group(const Algebra& node) {
    for (const auto& [variable, key] : node.group_keys) {
      out_ += " ?" + variable.name;
      if (key.kind == ExpressionKind::Variable && key.variable == variable) continue;
      out_ += " := ";
      print_expression(key, indent_, out_);
    }
    for (const auto& aggregate : node.aggregates) out_ += " ?" + aggregate.result.name + " := " + to_text(aggregate);
  }

  void print_order(const std::vector<OrderCondition>& order) {
    for (const auto& condition : order) {
      out_ += condition.descending ? " DESC " : " ";
      print_expression(condition.expression, indent_, out_);
    }
  }

  std::string& out_;
  size_t indent_;
};

}  // namespace

void print_pattern(const Algebra& pattern, size_t indent, std::string& out) {
  AlgebraPrinter(out, indent).print(pattern);
}

std::string to_text(const Algebra& pattern) {
  std::string out;
  print_pattern(pattern, 0, out);
  return out;
}

std::string to_text(const PatternTerm& term) {
  if (const auto* variable = std::get_if<Variable>(&term)) return "?" + variable->name;
  return model::to_ntriples(std::get<model::Term>(term));
}

std::string to_text(const TriplePattern& triple) {
  return to_text(triple.subject) + " " + to_text(triple.predicate) + " " + to_text(triple.object);
}

}  // namespace quadrille::sparql
