#include "engine/plan/shape.h"

#include <bit>

namespace quadrille::plan {

using sparql::Algebra;
using sparql::AlgebraKind;
using sparql::Expression;
using sparql::Path;
using sparql::PatternTerm;
using sparql::TriplePattern;

namespace {

constexpr int depth_max = 2000;

class ShapeWriter {
 public:
  explicit ShapeWriter(const CountRows& count_rows) : count_rows_(count_rows) { text_.reserve(1024); }

  // What is nested deeper is left out: no plan is made for it.
  void add(const Algebra& algebra) {
    if (depth_ == depth_max) return;
    ++depth_;
    add_content(algebra);
    --depth_;
  }
  void add(const sparql::Variable& variable) {
    text_ += '?';
    text_ += variable.name;
    text_ += ' ';
  }
  void add(const GraphChoice& choice) {
    add_code('g', static_cast<unsigned>(choice.mode));
    add_number(choice.graph.bits());
    if (choice.filter) add(*choice.filter);
  }
  void add(const GraphFilter& filter) {
    add_code('f', filter.all_but ? 1 : 0);
    for (model::TermId id : filter.listed) add_number(id.bits());
  }
  std::string take() { return std::move(text_); }

 private:
  void add_content(const Algebra& algebra) {
    add_code('a', static_cast<unsigned>(algebra.kind));
    switch (algebra.kind) {
      case AlgebraKind::BasicGraphPattern:
        for (const TriplePattern& triple : algebra.triples) add(triple);
        break;
      case AlgebraKind::PropertyPath:
        add(algebra.path_subject);
        add(algebra.path);
        add(algebra.path_object);
        break;
      case AlgebraKind::Graph: add_exactly(algebra.graph); break;
      case AlgebraKind::Service: return add_service(algebra);
      case AlgebraKind::Values: add_values(algebra); break;
      case AlgebraKind::Extend: add(algebra.variable); break;
      case AlgebraKind::Group: add_group(algebra); break;
      case AlgebraKind::Slice:
        add_number(algebra.offset);
        add_number(algebra.limit ? *algebra.limit + 1 : 0);
        break;
      default: break;
    }
    for (const auto& condition : algebra.order) add(condition.expression);
    for (const auto& variable : algebra.projection) add(variable);
    if (algebra.expression) add(*algebra.expression);
    if (algebra.left) add(*algebra.left);
    if (algebra.right) add(*algebra.right);
    text_ += '.';
  }
  void add_code(char what, unsigned code) {
    text_ += what;
    text_ += static_cast<char>(code);
  }
  void add_number(uint64_t number) { text_.append(reinterpret_cast<const char*>(&number), sizeof number); }

  // Without what a constant is.
  void add(const PatternTerm& term) {
    if (const auto* variable = std::get_if<sparql::Variable>(&term)) return add(*variable);
    add_code('c', static_cast<unsigned>(std::get<model::Term>(term).kind()));
  }
  void add_exactly(const PatternTerm& term) {
    if (const auto* variable = std::get_if<sparql::Variable>(&term)) return add(*variable);
    text_ += '<';
    text_ += std::get<model::Term>(term).text();
    text_ += '>';
  }

  void add(const TriplePattern& triple) {
    add(triple.subject);
    add_exactly(triple.predicate);
    add(triple.object);
    // Classes of sizes: below 4, below 32, below 256 ...
    add_code('n', static_cast<unsigned>(std::bit_width(static_cast<uint64_t>(count_rows_(triple)))) / 3);
  }
  void add(const Path& path) {
    add_code('p', static_cast<unsigned>(path.kind));
    if (path.link) add_exactly(*path.link);
    for (const Path& part : path.parts) add(part);
    for (const auto* terms : {&path.forbidden, &path.forbidden_inverse}) {
      text_ += '!';
      for (const model::Term& term : *terms) add_exactly(term);
    }
    text_ += '.';
  }
  void add(const Expression& expression) {
    if (depth_ == depth_max) return;
    ++depth_;
    add_code('e', static_cast<unsigned>(expression.kind));
    if (expression.kind == sparql::ExpressionKind::Variable) add(expression.variable);
    if (expression.kind == sparql::ExpressionKind::Call) add_code('(', static_cast<unsigned>(expression.function));
    for (const Expression& argument : expression.arguments) add(argument);
    if (expression.pattern) add(*expression.pattern);
    text_ += ')';
    --depth_;
  }
  void add_values(const Algebra& algebra) {
    for (const auto& variable : algebra.values.variables) add(variable);
    add_number(algebra.values.rows.size());
    for (const auto& row : algebra.values.rows) {
      for (const auto& term : row) text_ += term ? 'c' : 'u';
    }
  }
  // What is inside is not counted: it is in another store.
  void add_service(const Algebra& algebra) {
    text_ += algebra.silent ? 's' : 'l';
    add_exactly(algebra.graph);
    add_number(algebra.service_text.size());
    text_ += algebra.service_text;
    text_ += '.';
  }
  void add_group(const Algebra& algebra) {
    for (const auto& [variable, expression] : algebra.group_keys) {
      add(variable);
      add(expression);
    }
    for (const auto& aggregate : algebra.aggregates) {
      add_code('s', static_cast<unsigned>(aggregate.kind) * 2 + (aggregate.distinct ? 1 : 0));
      if (aggregate.argument) add(*aggregate.argument);
      add(aggregate.result);
    }
  }

  const CountRows& count_rows_;
  std::string text_;
  int depth_ = 0;
};

}  // namespace

std::string shape_of(const Algebra& pattern, const std::vector<sparql::Variable>& wanted, const Dataset& dataset,
                     const CountRows& count_rows) {
  ShapeWriter writer(count_rows);
  writer.add(dataset.default_graph);
  if (dataset.named_graphs) writer.add(*dataset.named_graphs);
  for (const auto& variable : wanted) writer.add(variable);
  writer.add(pattern);
  return writer.take();
}

}  // namespace quadrille::plan
