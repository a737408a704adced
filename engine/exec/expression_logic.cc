// Three-valued logic and the functional forms. https://www.w3.org/TR/sparql11-query/#func-forms
#include "engine/exec/call.h"
#include "engine/model/inline_term.h"

namespace quadrille::exec {

using sparql::Function;

Truth truth_of(TermId id, const TransientTerms& terms) {
  if (id.tag() == model::TermTag::Boolean) return id.payload() != 0 ? Truth::True : Truth::False;
  if (is_inline_integer(id)) return integer_of(id) != 0 ? Truth::True : Truth::False;
  if (!id.is_bound() || id.tag() == model::TermTag::Iri || id.tag() == model::TermTag::BlankNode) return Truth::Error;
  const model::Term term = terms.term(id);
  const model::Value value = model::value_of(term);
  const auto of = [](bool truth) { return truth ? Truth::True : Truth::False; };
  switch (value.kind()) {
    case model::ValueKind::Boolean: return of(value.boolean());
    case model::ValueKind::String: return of(!term.text().empty());
    case model::ValueKind::Integer:
    case model::ValueKind::Decimal: return of(!value.decimal().is_zero());
    case model::ValueKind::Float:
    case model::ValueKind::Double: return of(value.floating() != 0 && value.floating() == value.floating());
    case model::ValueKind::IllFormed: {
      // Ill-formed booleans and numbers are false.
      const auto type = term.datatype();
      const bool is_other = type.ends_with("#dateTime") || type.ends_with("#date") || type.ends_with("#time") ||
                            type.ends_with("#dayTimeDuration");
      return is_other ? Truth::Error : Truth::False;
    }
    default: return Truth::Error;
  }
}

namespace {

class Or final : public ExpressionNode {
 public:
  // `decisive`: the truth of one side that decides alone (true for ||, false for &&).
  Or(Arguments arguments, Truth decisive, RunState& run)
      : arguments_(std::move(arguments)), decisive_(decisive), run_(run) {}

  const Column& evaluate(const Batch& batch) override {
    const Truth other = decisive_ == Truth::True ? Truth::False : Truth::True;
    out_.assign(batch.rows(), truth_id(other));
    for (const ExpressionPointer& argument : arguments_) {
      const Column& column = argument->evaluate(batch);
      for (size_t row = 0; row < batch.rows(); ++row) {
        if (out_[row] == truth_id(decisive_)) continue;
        const Truth truth = truth_of(column[row], run_.terms);
        if (truth != other) out_[row] = truth_id(truth);
      }
    }
    return out_;
  }

 private:
  Arguments arguments_;
  Truth decisive_;
  RunState& run_;
  Column out_;
};

class Bound final : public ExpressionNode {
 public:
  explicit Bound(Arguments arguments) : arguments_(std::move(arguments)) {}
  const Column& evaluate(const Batch& batch) override {
    const Column& column = arguments_[0]->evaluate(batch);
    out_.resize(batch.rows());
    for (size_t row = 0; row < batch.rows(); ++row) out_[row] = boolean_id(column[row].is_bound());
    return out_;
  }

 private:
  Arguments arguments_;
  Column out_;
};

class If final : public ExpressionNode {
 public:
  If(Arguments arguments, RunState& run) : arguments_(std::move(arguments)), run_(run) {}
  const Column& evaluate(const Batch& batch) override {
    const Column& condition = arguments_[0]->evaluate(batch);
    const Column& then = arguments_[1]->evaluate(batch);
    const Column& otherwise = arguments_[2]->evaluate(batch);
    out_.resize(batch.rows());
    for (size_t row = 0; row < batch.rows(); ++row) {
      const Truth truth = truth_of(condition[row], run_.terms);
      out_[row] = truth == Truth::Error ? TermId() : truth == Truth::True ? then[row] : otherwise[row];
    }
    return out_;
  }

 private:
  Arguments arguments_;
  RunState& run_;
  Column out_;
};

class Coalesce final : public ExpressionNode {
 public:
  explicit Coalesce(Arguments arguments) : arguments_(std::move(arguments)) {}
  const Column& evaluate(const Batch& batch) override {
    out_.assign(batch.rows(), TermId());
    for (const ExpressionPointer& argument : arguments_) {
      const Column& column = argument->evaluate(batch);
      for (size_t row = 0; row < batch.rows(); ++row) {
        if (!out_[row].is_bound()) out_[row] = column[row];
      }
    }
    return out_;
  }

 private:
  Arguments arguments_;
  Column out_;
};

// x IN (a, b): x = a || x = b, with the errors of ||.
class In final : public ExpressionNode {
 public:
  In(Arguments arguments, bool negated, RunState& run)
      : arguments_(std::move(arguments)), negated_(negated), run_(run) {}
  const Column& evaluate(const Batch& batch) override {
    const Column& value = arguments_[0]->evaluate(batch);
    truths_.assign(batch.rows(), Truth::False);
    for (size_t i = 1; i < arguments_.size(); ++i) {
      const Column& member = arguments_[i]->evaluate(batch);
      for (size_t row = 0; row < batch.rows(); ++row) {
        if (truths_[row] == Truth::True) continue;
        const Truth truth = equal(value[row], member[row], run_.terms);
        if (truth != Truth::False) truths_[row] = truth;
      }
    }
    out_.resize(batch.rows());
    for (size_t row = 0; row < batch.rows(); ++row) {
      const Truth truth = truths_[row];
      out_[row] = truth == Truth::Error ? TermId() : boolean_id((truth == Truth::True) != negated_);
      if (!value[row].is_bound()) out_[row] = TermId();
    }
    return out_;
  }

 private:
  Arguments arguments_;
  bool negated_;
  RunState& run_;
  std::vector<Truth> truths_;
  Column out_;
};

}  // namespace

ExpressionPointer make_logic_call(Function function, Arguments& arguments, RunState& run) {
  switch (function) {
    case Function::Or: return std::make_unique<Or>(std::move(arguments), Truth::True, run);
    case Function::And: return std::make_unique<Or>(std::move(arguments), Truth::False, run);
    case Function::Not:
      return per_row<1>(std::move(arguments), [&terms = run.terms](TermId id) {
        const Truth truth = truth_of(id, terms);
        return truth == Truth::Error ? TermId() : boolean_id(truth == Truth::False);
      });
    case Function::Bound: return std::make_unique<Bound>(std::move(arguments));
    case Function::If: return std::make_unique<If>(std::move(arguments), run);
    case Function::Coalesce: return std::make_unique<Coalesce>(std::move(arguments));
    case Function::In: return std::make_unique<In>(std::move(arguments), false, run);
    case Function::NotIn: return std::make_unique<In>(std::move(arguments), true, run);
    default: return nullptr;
  }
}

}  // namespace quadrille::exec
