#include "engine/exec/expression.h"

#include "engine/exec/call.h"
#include "engine/exec/column_map.h"
#include "engine/exec/memo.h"

namespace quadrille::exec {

using sparql::Expression;
using sparql::ExpressionKind;

namespace {

class VariableNode final : public ExpressionNode {
 public:
  explicit VariableNode(size_t column) : column_(column) {}
  const Column& evaluate(const Batch& batch) override {
    if (column_ != no_column) return batch.column(column_);
    nothing_.assign(batch.rows(), TermId());
    return nothing_;
  }

 private:
  size_t column_;
  Column nothing_;
};

class ConstantNode final : public ExpressionNode {
 public:
  explicit ConstantNode(TermId id) : id_(id) {}
  const Column& evaluate(const Batch& batch) override {
    if (column_.size() < batch.rows()) column_.resize(batch.rows(), id_);
    return column_;
  }

 private:
  TermId id_;
  Column column_;
};

// Turns a tree of the parser into one of nodes.
class Compiler {
 public:
  Compiler(const plan::PlannedExpression& planned, const std::vector<plan::VariableId>& columns, RunState& run)
      : planned_(planned), columns_(columns), run_(run) {}

  ExpressionPointer make(const Expression& expression) {
    switch (expression.kind) {
      case ExpressionKind::Variable: {
        const plan::VariableId id = planned_.scope->find(expression.variable.name);
        return std::make_unique<VariableNode>(id == plan::no_variable ? no_column : column_of(columns_, id));
      }
      case ExpressionKind::Constant: return std::make_unique<ConstantNode>(run_.terms.id_of(*expression.constant));
      case ExpressionKind::Exists:
      case ExpressionKind::NotExists: return make_exists_node(expression);
      case ExpressionKind::Call: return make_remembering_call(expression);
    }
    return nullptr;
  }

 private:
  ExpressionPointer make_exists_node(const Expression& expression) {
    for (const auto& [source, exists] : planned_.exists) {
      if (source == &expression) {
        return make_exists(*exists, expression.kind == ExpressionKind::Exists, columns_, run_);
      }
    }
    QUADRILLE_CHECK(false, "an EXISTS that was not planned");
    return nullptr;
  }

  ExpressionPointer make_remembering_call(const Expression& expression) {
    if (is_inside_memo_ || !is_worth_remembering(expression)) return make_call(expression);
    is_inside_memo_ = true;
    ExpressionPointer made = make_call(expression);
    is_inside_memo_ = false;
    const size_t column = column_of_only_variable(expression);
    return column == no_column ? std::move(made) : remember_results(std::move(made), column, run_);
  }

  size_t column_of_only_variable(const Expression& expression) const {
    if (expression.kind == ExpressionKind::Variable) {
      const plan::VariableId id = planned_.scope->find(expression.variable.name);
      return id == plan::no_variable ? no_column : column_of(columns_, id);
    }
    for (const auto& argument : expression.arguments) {
      if (const size_t column = column_of_only_variable(argument); column != no_column) return column;
    }
    return no_column;
  }

  ExpressionPointer make_call(const Expression& expression) {
    Arguments arguments;
    for (const auto& argument : expression.arguments) arguments.push_back(make(argument));
    if (expression.function == sparql::Function::ByIri) return make_cast(expression.function_iri, arguments, run_);
    for (const auto family : {make_logic_call, make_comparison_call, make_number_call, make_term_call, make_string_call,
                              make_regex_call, make_date_call, make_hash_call}) {
      if (ExpressionPointer made = family(expression.function, arguments, run_)) return made;
    }
    RunState::stop(base::ErrorKind::Unsupported, "a function that this version does not offer");
  }

  const plan::PlannedExpression& planned_;
  const std::vector<plan::VariableId>& columns_;
  RunState& run_;
  bool is_inside_memo_ = false;
};

}  // namespace

ExpressionPointer make_expression(const plan::PlannedExpression& planned, const std::vector<plan::VariableId>& columns,
                                  RunState& run) {
  return Compiler(planned, columns, run).make(*planned.expression);
}

Conditions::Conditions(const std::vector<plan::PlannedExpression>& planned,
                       const std::vector<plan::VariableId>& columns, RunState& run)
    : run_(run) {
  for (const auto& one : planned) conditions_.push_back(make_expression(one, columns, run));
}

void Conditions::select(const Batch& batch, std::vector<uint32_t>& selected) {
  const size_t mark = run_.terms.mark();
  selected.resize(batch.rows());
  for (uint32_t row = 0; row < batch.rows(); ++row) selected[row] = row;
  for (const ExpressionPointer& condition : conditions_) {
    const Column& truths = condition->evaluate(batch);
    std::erase_if(selected, [&](uint32_t row) { return truth_of(truths[row], run_.terms) != Truth::True; });
    if (selected.empty()) break;
  }
  run_.terms.forget_since(mark);
}

void Computed::evaluate(const Batch& batch, Column& out) {
  const size_t mark = run_.terms.mark();
  const Column& values = node_->evaluate(batch);
  out.resize(batch.rows());
  for (size_t row = 0; row < batch.rows(); ++row) out[row] = run_.terms.keep(values[row]);
  run_.terms.forget_since(mark);
}

void Computed::evaluate_for_aggregate(const Batch& batch, Column& out) {
  const size_t mark = run_.terms.mark();
  const Column& values = node_->evaluate(batch);
  out.resize(batch.rows());
  for (size_t row = 0; row < batch.rows(); ++row) {
    out[row] = TransientTerms::is_never_forgotten(values[row]) ? values[row] : run_.terms.keep(values[row]);
  }
  run_.terms.forget_since(mark);
}

}  // namespace quadrille::exec
