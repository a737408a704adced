#include "engine/model/value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "engine/base/check.h"
#include "engine/model/datatype.h"
#include "engine/model/vocabulary.h"

namespace quadrille::model {
namespace {

// [+-]? (digits (. digits?)? | . digits) ([eE] [+-]? digits)?
bool is_floating_text(std::string_view text) {
  size_t at = 0;
  const auto take_sign = [&] { at += at < text.size() && (text[at] == '+' || text[at] == '-'); };
  const auto take_digits = [&] {
    const size_t start = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    return at - start;
  };
  take_sign();
  size_t digits = take_digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    digits += take_digits();
  }
  if (digits == 0) return false;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    take_sign();
    if (take_digits() == 0) return false;
  }
  return at == text.size();
}

// Whether well-formed text that is out of a type's range is too large, rather than too close to 0: whether its first
// digit that counts stands before or after the point.
bool is_large(std::string_view text) {
  const size_t e = std::min(text.find_first_of("eE"), text.size());
  const std::string_view digits = text.substr(0, e);
  const size_t point = std::min(digits.find('.'), digits.size());
  const size_t first = digits.find_first_of("123456789");
  if (first == std::string_view::npos) return false;
  const auto position = static_cast<int64_t>(point) - static_cast<int64_t>(first);
  if (e == text.size()) return position > 0;
  std::string_view exponent = text.substr(e + 1);
  const bool negative = exponent.front() == '-';
  if (negative || exponent.front() == '+') exponent.remove_prefix(1);
  exponent.remove_prefix(std::min(exponent.find_first_not_of('0'), exponent.size()));
  if (exponent.size() > 18) return !negative;
  int64_t number = 0;
  for (char c : exponent) number = number * 10 + (c - '0');
  return position + (negative ? -number : number) > 0;
}

template <class Float>
std::optional<Float> parse_floating(std::string_view text) {
  constexpr Float infinity = std::numeric_limits<Float>::infinity();
  if (text == "INF" || text == "+INF") return infinity;
  if (text == "-INF") return -infinity;
  if (text == "NaN") return std::numeric_limits<Float>::quiet_NaN();
  if (!is_floating_text(text)) return std::nullopt;
  const bool negative = text.front() == '-';
  if (negative || text.front() == '+') text.remove_prefix(1);
  Float number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range) number = is_large(text) ? infinity : Float{0};
  return negative ? -number : number;
}

// XSD 1.1 Part 2, floatCanonicalMap and doubleCanonicalMap: the shortest digits that give the number back.
template <class Float>
std::string floating_text(Float number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number < 0 ? "-INF" : "INF";
  char buffer[64];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::scientific);
  const std::string_view shortest(buffer, static_cast<size_t>(end - buffer));
  const size_t e = shortest.find('e');
  std::string text(shortest.substr(0, e));
  if (text.find('.') == std::string::npos) text += ".0";
  text += 'E';
  std::string_view exponent = shortest.substr(e + 1);
  if (exponent.front() == '-') text += '-';
  exponent.remove_prefix(1);
  while (exponent.size() > 1 && exponent.front() == '0') exponent.remove_prefix(1);
  text += exponent;
  return text;
}

Value parse_integer(std::string_view text, const Datatype& datatype) {
  if (text.find('.') != std::string_view::npos) return Value::ill_formed();
  auto number = Decimal::parse(text);
  if (!number || (datatype.least && *number < *datatype.least)) return Value::ill_formed();
  if (datatype.greatest && *number > *datatype.greatest) return Value::ill_formed();
  return Value::integer(*std::move(number));
}

Value parse_boolean(std::string_view text) {
  if (text == "true" || text == "1") return Value::boolean(true);
  if (text == "false" || text == "0") return Value::boolean(false);
  return Value::ill_formed();
}

template <class Parsed, class Make>
Value made_of(const std::optional<Parsed>& parsed, Make make) {
  return parsed ? make(*parsed) : Value::ill_formed();
}

std::string_view datatype_of(ValueKind kind) {
  switch (kind) {
    case ValueKind::Boolean: return vocabulary::xsd_boolean;
    case ValueKind::Integer: return vocabulary::xsd_integer;
    case ValueKind::Decimal: return vocabulary::xsd_decimal;
    case ValueKind::Float: return vocabulary::xsd_float;
    case ValueKind::Double: return vocabulary::xsd_double;
    case ValueKind::DateTime: return vocabulary::xsd_date_time;
    case ValueKind::Date: return vocabulary::xsd_date;
    case ValueKind::Time: return vocabulary::xsd_time;
    case ValueKind::DayTimeDuration: return vocabulary::xsd_day_time_duration;
    default: return vocabulary::xsd_string;
  }
}

}  // namespace

Value Value::string(std::string text) { return Value(ValueKind::String, Text{std::move(text), {}}); }
Value Value::language_string(std::string text, std::string language) {
  return Value(ValueKind::LanguageString, Text{std::move(text), std::move(language)});
}
Value Value::boolean(bool value) { return Value(ValueKind::Boolean, value); }
Value Value::integer(Decimal value) {
  QUADRILLE_CHECK(value.is_integer(), "an integer value has no fraction");
  return Value(ValueKind::Integer, std::move(value));
}
Value Value::decimal(Decimal value) { return Value(ValueKind::Decimal, std::move(value)); }
Value Value::floating(float value) { return Value(ValueKind::Float, static_cast<double>(value)); }
Value Value::floating(double value) { return Value(ValueKind::Double, value); }
Value Value::date_time(DateTime moment) { return Value(ValueKind::DateTime, std::move(moment)); }
Value Value::date(DateTime moment) { return Value(ValueKind::Date, std::move(moment)); }
Value Value::time(DateTime moment) { return Value(ValueKind::Time, std::move(moment)); }
Value Value::day_time_duration(Decimal seconds) { return Value(ValueKind::DayTimeDuration, std::move(seconds)); }

double Value::to_double() const { return is_exact() ? decimal().to_double() : floating(); }
float Value::to_float() const { return is_exact() ? decimal().to_float() : static_cast<float>(floating()); }

Value value_of(const Term& term) {
  if (!term.is_literal()) return {};
  if (term.is_plain_string()) return Value::string(term.text());
  if (!term.language().empty()) return Value::language_string(term.text(), std::string(term.language()));
  return parse_value(term.text(), term.datatype());
}

Value parse_value(std::string_view text, std::string_view datatype_iri) {
  const Datatype* datatype = find_datatype(datatype_iri);
  if (!datatype) return Value::unknown();
  switch (datatype->kind) {
    case ValueKind::String: return Value::string(std::string(text));
    case ValueKind::Boolean: return parse_boolean(text);
    case ValueKind::Integer: return parse_integer(text, *datatype);
    case ValueKind::Decimal: return made_of(Decimal::parse(text), [](const Decimal& n) { return Value::decimal(n); });
    case ValueKind::Float: return made_of(parse_floating<float>(text), [](float n) { return Value::floating(n); });
    case ValueKind::Double: return made_of(parse_floating<double>(text), [](double n) { return Value::floating(n); });
    case ValueKind::DateTime: return made_of(parse_date_time(text), &Value::date_time);
    case ValueKind::Date: return made_of(parse_date(text), &Value::date);
    case ValueKind::Time: return made_of(parse_time(text), &Value::time);
    case ValueKind::DayTimeDuration: return made_of(parse_day_time_duration(text), &Value::day_time_duration);
    default: return Value::unknown();
  }
}

std::string canonical_text(const Value& value) {
  switch (value.kind()) {
    case ValueKind::String:
    case ValueKind::LanguageString: return value.text();
    case ValueKind::Boolean: return value.boolean() ? "true" : "false";
    case ValueKind::Integer:
    case ValueKind::Decimal: return value.decimal().to_string();
    case ValueKind::Float: return floating_text(static_cast<float>(value.floating()));
    case ValueKind::Double: return floating_text(value.floating());
    case ValueKind::DateTime: return date_time_text(value.moment());
    case ValueKind::Date: return date_text(value.moment());
    case ValueKind::Time: return time_text(value.moment());
    case ValueKind::DayTimeDuration: return day_time_duration_text(value.decimal());
    case ValueKind::None:
    case ValueKind::IllFormed:
    case ValueKind::Unknown: break;
  }
  base::fail_check("value.kind() >= ValueKind::String", "only a known value has a lexical form", __FILE__, __LINE__);
}

Term to_term(const Value& value) {
  if (value.kind() == ValueKind::LanguageString) return Term::language_literal(value.text(), value.language());
  return Term::typed_literal(canonical_text(value), std::string(datatype_of(value.kind())));
}

}  // namespace quadrille::model
