// Casts by the IRIs of XSD's types. https://www.w3.org/TR/sparql11-query/#FunctionMapping
#include <cmath>

#include "engine/exec/call.h"
#include "engine/model/vocabulary.h"

namespace quadrille::exec {

using model::Decimal;
using model::Term;
using model::Value;
using model::ValueKind;
namespace vocabulary = model::vocabulary;

namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view white = " \t\r\n";
  const size_t begin = text.find_first_not_of(white);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(white) - begin + 1);
}

// The number as an exact one; nothing for NaN and infinities.
std::optional<Decimal> exact(const Value& value) {
  return value.is_exact() ? std::optional(value.decimal()) : Decimal::from_double(value.floating());
}

std::optional<Value> number_cast(const Value& value, ValueKind target) {
  const bool boolean = value.kind() == ValueKind::Boolean;
  if (!boolean && !value.is_numeric()) return std::nullopt;
  const Value number = boolean ? Value::integer(Decimal(value.boolean() ? 1 : 0)) : value;
  switch (target) {
    case ValueKind::Integer: {
      const auto decimal = exact(number);
      return decimal ? std::optional(Value::integer(decimal->truncated())) : std::nullopt;
    }
    case ValueKind::Decimal: {
      const auto decimal = exact(number);
      return decimal ? std::optional(Value::decimal(*decimal)) : std::nullopt;
    }
    case ValueKind::Float: return Value::floating(number.to_float());
    case ValueKind::Double: return Value::floating(number.to_double());
    default: return std::nullopt;
  }
}

std::optional<Value> boolean_cast(const Value& value) {
  if (value.kind() == ValueKind::Boolean) return value;
  if (value.is_exact()) return Value::boolean(!value.decimal().is_zero());
  if (value.is_numeric()) return Value::boolean(value.floating() != 0 && !std::isnan(value.floating()));
  return std::nullopt;
}

std::optional<Value> moment_cast(const Value& value, ValueKind target) {
  if (value.kind() == target) return value;
  const bool from_date_time = value.kind() == ValueKind::DateTime;
  if (target == ValueKind::DateTime && value.kind() == ValueKind::Date) return Value::date_time(value.moment());
  if (!from_date_time) return std::nullopt;
  const auto fields = model::fields_of(value.moment());
  const Decimal day(model::days_from_civil(fields.year, fields.month, fields.day) * 86400);
  if (target == ValueKind::Date) return Value::date({day, value.moment().zone_minutes});
  if (target == ValueKind::Time) {
    const auto within = Decimal::subtract(value.moment().local_seconds, day);
    return within ? std::optional(Value::time({*within, value.moment().zone_minutes})) : std::nullopt;
  }
  return std::nullopt;
}

struct CastTarget {
  std::string_view name;
  ValueKind kind;
};
constexpr CastTarget targets[] = {{"integer", ValueKind::Integer}, {"decimal", ValueKind::Decimal},
                                  {"float", ValueKind::Float},     {"double", ValueKind::Double},
                                  {"boolean", ValueKind::Boolean}, {"dateTime", ValueKind::DateTime},
                                  {"date", ValueKind::Date},       {"time", ValueKind::Time},
                                  {"string", ValueKind::String},   {"dayTimeDuration", ValueKind::DayTimeDuration}};

// A string, as XPath casts one: white space around it does not count.
TermId cast_text(const std::string& text, const std::string& datatype, TransientTerms& terms) {
  const Value value = model::parse_value(trimmed(text), datatype);
  if (value.kind() == ValueKind::IllFormed || value.kind() == ValueKind::Unknown) return TermId();
  return terms.pass(value);
}

// XPath writes numbers between a millionth and a million without an exponent.
std::string number_text(const Value& value) {
  const double number = value.floating();
  const std::string canonical = model::canonical_text(value);  // d.dddEn
  const double size = std::fabs(number);
  if (number == 0) return std::signbit(number) ? "-0" : "0";
  if (!(size >= 1e-6 && size < 1e6)) return canonical;
  const size_t e = canonical.find('E');
  const auto mantissa = Decimal::parse(std::string_view(canonical).substr(0, e));
  const int exponent = std::stoi(canonical.substr(e + 1));
  const std::string power = std::string(exponent < 0 ? "0." : "1") +
                            std::string(static_cast<size_t>(exponent < 0 ? -exponent - 1 : exponent), '0') +
                            (exponent < 0 ? "1" : "");
  const auto factor = Decimal::parse(power);
  const auto product = mantissa && factor ? Decimal::multiply(*mantissa, *factor) : std::nullopt;
  return product ? product->to_string() : canonical;
}

TermId to_text(const Term& term, TransientTerms& terms) {
  if (term.is_blank_node() || !term.language().empty()) return TermId();
  const Value value = model::value_of(term);
  switch (value.kind()) {
    case ValueKind::Boolean:
    case ValueKind::Integer:
    case ValueKind::Decimal: return terms.pass(Term::literal(model::canonical_text(value)));
    case ValueKind::Float:
    case ValueKind::Double: return terms.pass(Term::literal(number_text(value)));
    default: return terms.pass(Term::literal(term.text()));
  }
}

TermId cast(TermId id, ValueKind target, const std::string& datatype, TransientTerms& terms) {
  const Term term = terms.term(id);
  if (target == ValueKind::String) return to_text(term, terms);
  if (term.is_plain_string()) return cast_text(term.text(), datatype, terms);
  const Value value = model::value_of(term);
  if (value.kind() == target) return terms.pass(value);
  std::optional<Value> result;
  switch (target) {
    case ValueKind::Boolean: result = boolean_cast(value); break;
    case ValueKind::DateTime:
    case ValueKind::Date:
    case ValueKind::Time: result = moment_cast(value, target); break;
    default: result = number_cast(value, target); break;
  }
  return result ? terms.pass(*result) : TermId();
}

}  // namespace

ExpressionPointer make_cast(const std::string& iri, Arguments& arguments, RunState& run) {
  if (iri.starts_with(vocabulary::xsd) && arguments.size() == 1) {
    const std::string_view name = std::string_view(iri).substr(vocabulary::xsd.size());
    for (const CastTarget& target : targets) {
      if (target.name != name) continue;
      return per_row<1>(std::move(arguments), [&terms = run.terms, kind = target.kind, iri](TermId id) {
        return cast(id, kind, iri, terms);
      });
    }
  }
  RunState::stop(base::ErrorKind::Unsupported, "the function <" + iri + "> is not known");
}

}  // namespace quadrille::exec
