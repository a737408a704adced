// Arithmetic. Small integers stay in their ids.
#include <cmath>

#include "engine/exec/call.h"

namespace quadrille::exec {

using model::Decimal;
using model::Value;
using model::ValueKind;
using sparql::Function;

namespace {

using ValueOperator = std::optional<Value> (*)(const Value&, const Value&);

// `fast` computes small integers; returns true on overflow, as the builtins do.
template <class Fast>
ExpressionPointer arithmetic(Arguments& arguments, RunState& run, ValueOperator slow, Fast fast) {
  return per_row<2>(std::move(arguments), [&terms = run.terms, slow, fast](TermId left, TermId right) {
    int64_t result = 0;
    if (is_inline_integer(left) && is_inline_integer(right) && !fast(integer_of(left), integer_of(right), &result) &&
        fits_inline(result)) {
      return integer_id(result);
    }
    const auto value = slow(terms.value(left), terms.value(right));
    return value ? terms.pass(*value) : TermId();
  });
}

template <class Exact, class Inexact>
ExpressionPointer rounding(Arguments& arguments, RunState& run, Exact exact, Inexact inexact) {
  return per_row<1>(std::move(arguments), [&terms = run.terms, exact, inexact](TermId id) {
    const Value value = terms.value(id);
    switch (value.kind()) {
      case ValueKind::Integer: return terms.pass(Value::integer(exact(value.decimal())));
      case ValueKind::Decimal: return terms.pass(Value::decimal(exact(value.decimal())));
      case ValueKind::Float: return terms.pass(Value::floating(static_cast<float>(inexact(value.floating()))));
      case ValueKind::Double: return terms.pass(Value::floating(inexact(value.floating())));
      default: return TermId();
    }
  });
}

// XPath fn:round: halves go up. floor(x + 0.5) is wrong for large and just-below-half numbers.
double round_half_up(double value) {
  const double below = std::floor(value);
  return value - below >= 0.5 ? below + 1 : below;
}

class Rand final : public ExpressionNode {
 public:
  explicit Rand(RunState& run) : run_(run) {}
  const Column& evaluate(const Batch& batch) override {
    out_.resize(batch.rows());
    for (TermId& id : out_) {
      id = run_.terms.pass(Value::floating(static_cast<double>(run_.random().next() >> 11) * 0x1.0p-53));
    }
    return out_;
  }

 private:
  RunState& run_;
  Column out_;
};

}  // namespace

ExpressionPointer make_number_call(Function function, Arguments& arguments, RunState& run) {
  auto& terms = run.terms;
  switch (function) {
    case Function::Add:
      return arithmetic(arguments, run, model::add,
                        [](int64_t a, int64_t b, int64_t* sum) { return __builtin_add_overflow(a, b, sum); });
    case Function::Subtract:
      return arithmetic(arguments, run, model::subtract, [](int64_t a, int64_t b, int64_t* difference) {
        return __builtin_sub_overflow(a, b, difference);
      });
    case Function::Multiply:
      return arithmetic(arguments, run, model::multiply,
                        [](int64_t a, int64_t b, int64_t* product) { return __builtin_mul_overflow(a, b, product); });
    case Function::Divide:
      return arithmetic(arguments, run, model::divide, [](int64_t, int64_t, int64_t*) { return true; });
    case Function::Negate:
      return per_row<1>(std::move(arguments), [&terms](TermId id) {
        const auto value = model::negate(terms.value(id));
        return value ? terms.pass(*value) : TermId();
      });
    case Function::Plus:
      return per_row<1>(std::move(arguments),
                        [&terms](TermId id) { return terms.value(id).is_numeric() ? id : TermId(); });
    case Function::IsNumeric:
      return per_row<1>(std::move(arguments), [&terms](TermId id) { return boolean_id(terms.value(id).is_numeric()); });
    case Function::Abs:
      return rounding(
          arguments, run, [](const Decimal& value) { return value.sign() < 0 ? value.negated() : value; },
          [](double value) { return std::fabs(value); });
    case Function::Round:
      return rounding(
          arguments, run, [](const Decimal& value) { return value.rounded(); }, round_half_up);
    case Function::Ceil:
      return rounding(
          arguments, run, [](const Decimal& value) { return value.ceiling(); },
          [](double value) { return std::ceil(value); });
    case Function::Floor:
      return rounding(
          arguments, run, [](const Decimal& value) { return value.floor(); },
          [](double value) { return std::floor(value); });
    case Function::Rand: return std::make_unique<Rand>(run);
    default: return nullptr;
  }
}

}  // namespace quadrille::exec
