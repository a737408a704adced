#include <algorithm>
#include <cmath>

#include "engine/base/check.h"
#include "engine/model/value.h"

namespace quadrille::model {
namespace {

// Both numeric: the kind in which they meet. Kinds stand in the order of promotion.
ValueKind promoted(const Value& left, const Value& right) { return std::max(left.kind(), right.kind()); }

std::partial_ordering compare_numbers(const Value& left, const Value& right) {
  switch (promoted(left, right)) {
    case ValueKind::Double: return left.to_double() <=> right.to_double();
    case ValueKind::Float: return left.to_float() <=> right.to_float();
    default: return left.decimal() <=> right.decimal();
  }
}

std::optional<std::partial_ordering> compare_moments(const DateTime& left, const DateTime& right) {
  if (left.zone_minutes.has_value() == right.zone_minutes.has_value()) return left.instant() <=> right.instant();
  // The one without a time zone may be up to 14 hours off either way.
  const Decimal slack(14 * 3600);
  const Decimal difference = *Decimal::subtract(left.instant(), right.instant());
  if (difference > slack) return std::partial_ordering::greater;
  if (difference < slack.negated()) return std::partial_ordering::less;
  return std::nullopt;
}

// A class of kinds that share values.
enum class Space : uint8_t {
  None,
  NotUnderstood,
  Strings,
  LanguageStrings,
  Booleans,
  Numbers,
  DateTimes,
  Dates,
  Times,
  Durations
};
Space space_of(ValueKind kind) {
  switch (kind) {
    case ValueKind::None: return Space::None;
    case ValueKind::IllFormed:
    case ValueKind::Unknown: return Space::NotUnderstood;
    case ValueKind::String: return Space::Strings;
    case ValueKind::LanguageString: return Space::LanguageStrings;
    case ValueKind::Boolean: return Space::Booleans;
    case ValueKind::Integer:
    case ValueKind::Decimal:
    case ValueKind::Float:
    case ValueKind::Double: return Space::Numbers;
    case ValueKind::DateTime: return Space::DateTimes;
    case ValueKind::Date: return Space::Dates;
    case ValueKind::Time: return Space::Times;
    case ValueKind::DayTimeDuration: return Space::Durations;
  }
  return Space::None;
}

std::optional<Value> exact(ValueKind kind, std::optional<Decimal> result) {
  if (!result) return std::nullopt;
  return kind == ValueKind::Integer ? Value::integer(*std::move(result)) : Value::decimal(*std::move(result));
}

template <class Exact, class Floating>
std::optional<Value> calculate(const Value& left, const Value& right, Exact on_exact, Floating on_floating) {
  if (!left.is_numeric() || !right.is_numeric()) return std::nullopt;
  const ValueKind kind = promoted(left, right);
  if (kind == ValueKind::Double) return Value::floating(on_floating(left.to_double(), right.to_double()));
  if (kind == ValueKind::Float) return Value::floating(on_floating(left.to_float(), right.to_float()));
  return exact(kind, on_exact(left.decimal(), right.decimal()));
}

}  // namespace

std::optional<std::partial_ordering> compare_values(const Value& left, const Value& right) {
  if (left.is_numeric() && right.is_numeric()) return compare_numbers(left, right);
  if (left.kind() != right.kind()) return std::nullopt;
  switch (left.kind()) {
    case ValueKind::String: return left.text().compare(right.text()) <=> 0;
    case ValueKind::Boolean: return left.boolean() <=> right.boolean();
    case ValueKind::DateTime:
    case ValueKind::Date:
    case ValueKind::Time: return compare_moments(left.moment(), right.moment());
    case ValueKind::DayTimeDuration: return left.decimal() <=> right.decimal();
    default: return std::nullopt;
  }
}

std::optional<bool> equal_terms(const Term& left, const Term& right) {
  if (!left.is_literal() || !right.is_literal()) return left == right;
  const Value left_value = value_of(left);
  const Value right_value = value_of(right);
  if (const auto order = compare_values(left_value, right_value)) return *order == 0;
  if (left == right) return true;
  const Space left_space = space_of(left_value.kind());
  const Space right_space = space_of(right_value.kind());
  // What has a language tag is never the value of a typed literal, known or not.
  if (left_space == Space::LanguageStrings || right_space == Space::LanguageStrings) return false;
  if (left_space == Space::NotUnderstood || right_space == Space::NotUnderstood) return std::nullopt;
  if (left_space != right_space) return false;
  return std::nullopt;  // moments with and without a time zone, too close to tell
}

std::optional<Value> add(const Value& left, const Value& right) {
  return calculate(left, right, &Decimal::add, [](auto a, auto b) { return a + b; });
}

std::optional<Value> subtract(const Value& left, const Value& right) {
  return calculate(left, right, &Decimal::subtract, [](auto a, auto b) { return a - b; });
}

std::optional<Value> multiply(const Value& left, const Value& right) {
  return calculate(left, right, &Decimal::multiply, [](auto a, auto b) { return a * b; });
}

std::optional<Value> divide(const Value& left, const Value& right) {
  if (!left.is_numeric() || !right.is_numeric()) return std::nullopt;
  if (left.is_exact() && right.is_exact()) {
    return exact(ValueKind::Decimal, Decimal::divide(left.decimal(), right.decimal()));
  }
  return calculate(left, right, &Decimal::divide, [](auto a, auto b) { return a / b; });
}

std::optional<Value> negate(const Value& value) {
  switch (value.kind()) {
    case ValueKind::Integer: return Value::integer(value.decimal().negated());
    case ValueKind::Decimal: return Value::decimal(value.decimal().negated());
    case ValueKind::Float: return Value::floating(-static_cast<float>(value.floating()));
    case ValueKind::Double: return Value::floating(-value.floating());
    default: return std::nullopt;
  }
}

}  // namespace quadrille::model
