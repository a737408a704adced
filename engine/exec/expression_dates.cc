// Functions on dates and times. https://www.w3.org/TR/sparql11-query/#func-date-time
#include "engine/exec/call.h"
#include "engine/model/date_time.h"

namespace quadrille::exec {

using model::DateTime;
using model::Term;
using model::Value;
using model::ValueKind;
using sparql::Function;

Value moment_of(int64_t now_ms) { return Value::date_time(DateTime{model::Decimal::scaled(now_ms, 3), int16_t{0}}); }

namespace {

// `parts`: which kinds of moments have what is asked for.
template <class F>
ExpressionPointer on_moment(Arguments& arguments, RunState& run, bool dates, bool times, F f) {
  return per_row<1>(std::move(arguments), [&terms = run.terms, dates, times, f](TermId id) {
    const Value value = terms.value(id);
    const ValueKind kind = value.kind();
    const bool fits =
        kind == ValueKind::DateTime || (kind == ValueKind::Date && dates) || (kind == ValueKind::Time && times);
    return fits ? f(value.moment(), terms) : TermId();
  });
}

class Now final : public ExpressionNode {
 public:
  explicit Now(RunState& run) : run_(run) {}
  const Column& evaluate(const Batch& batch) override {
    out_.assign(batch.rows(), run_.terms.pass(moment_of(run_.now_ms)));
    return out_;
  }

 private:
  RunState& run_;
  Column out_;
};

ExpressionPointer make_zone_call(Function function, Arguments& arguments, RunState& run) {
  if (function == Function::Tz) {
    return on_moment(arguments, run, true, true, [](const DateTime& moment, TransientTerms& terms) {
      return terms.pass(Term::literal(model::zone_text(moment.zone_minutes)));
    });
  }
  return on_moment(arguments, run, true, true, [](const DateTime& moment, TransientTerms& terms) {
    if (!moment.zone_minutes) return TermId();
    return terms.pass(Value::day_time_duration(model::Decimal(int64_t{*moment.zone_minutes} * 60)));
  });
}

}  // namespace

ExpressionPointer make_date_call(Function function, Arguments& arguments, RunState& run) {
  using Terms = TransientTerms;
  switch (function) {
    case Function::Now: return std::make_unique<Now>(run);
    case Function::Year:
      return on_moment(arguments, run, true, false,
                       [](const DateTime& moment, Terms&) { return integer_id(model::fields_of(moment).year); });
    case Function::Month:
      return on_moment(arguments, run, true, false,
                       [](const DateTime& moment, Terms&) { return integer_id(model::fields_of(moment).month); });
    case Function::Day:
      return on_moment(arguments, run, true, false,
                       [](const DateTime& moment, Terms&) { return integer_id(model::fields_of(moment).day); });
    case Function::Hours:
      return on_moment(arguments, run, false, true,
                       [](const DateTime& moment, Terms&) { return integer_id(model::fields_of(moment).hour); });
    case Function::Minutes:
      return on_moment(arguments, run, false, true,
                       [](const DateTime& moment, Terms&) { return integer_id(model::fields_of(moment).minute); });
    case Function::Seconds:
      return on_moment(arguments, run, false, true, [](const DateTime& moment, Terms& terms) {
        return terms.pass(Value::decimal(model::fields_of(moment).second));
      });
    case Function::Timezone:
    case Function::Tz: return make_zone_call(function, arguments, run);
    default: return nullptr;
  }
}

}  // namespace quadrille::exec
