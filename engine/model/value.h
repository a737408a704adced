// What a literal means: its typed value, comparison and arithmetic.
// SPARQL 1.1 section 17.3 (operator mapping), XPath and XQuery Functions 3.1 (numeric operators), XSD 1.1 Part 2.
//
// Two questions, two answers: "what does SPARQL's < say about these" is compare_values here, which promotes types and
// may be a type error; "in which order do I sort any terms" is compare_terms in term_order.h, which is total and exact.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "engine/model/date_time.h"
#include "engine/model/decimal.h"
#include "engine/model/term.h"

namespace quadrille::model {

enum class ValueKind : uint8_t {
  None,            // an IRI or a blank node
  IllFormed,       // a known datatype, but text that it does not allow
  Unknown,         // a datatype that is not known here
  String,          // text()
  LanguageString,  // text(), language()
  Boolean,         // boolean()
  Integer,         // decimal(); also the types derived from xsd:integer
  Decimal,         // decimal()
  Float,           // floating(), which is a float's value
  Double,          // floating()
  DateTime,        // moment()
  Date,            // moment()
  Time,            // moment()
  DayTimeDuration  // decimal(), seconds
};

// Asking for what the kind does not have is a bug.
class Value {
 public:
  Value() = default;  // None
  static Value string(std::string text);
  static Value language_string(std::string text, std::string language);
  static Value boolean(bool value);
  // `value` must be an integer.
  static Value integer(Decimal value);
  static Value decimal(Decimal value);
  static Value floating(float value);
  static Value floating(double value);
  static Value date_time(DateTime moment);
  static Value date(DateTime moment);
  static Value time(DateTime moment);
  static Value day_time_duration(Decimal seconds);
  static Value ill_formed() { return Value(ValueKind::IllFormed, {}); }
  static Value unknown() { return Value(ValueKind::Unknown, {}); }

  ValueKind kind() const noexcept { return kind_; }
  bool is_numeric() const noexcept { return kind_ >= ValueKind::Integer && kind_ <= ValueKind::Double; }
  bool is_exact() const noexcept { return kind_ == ValueKind::Integer || kind_ == ValueKind::Decimal; }

  const std::string& text() const { return std::get<Text>(content_).text; }
  const std::string& language() const { return std::get<Text>(content_).language; }
  bool boolean() const { return std::get<bool>(content_); }
  const Decimal& decimal() const { return std::get<Decimal>(content_); }
  double floating() const { return std::get<double>(content_); }
  const DateTime& moment() const { return std::get<DateTime>(content_); }

  // A numeric value as a double, or as a float (rounded).
  double to_double() const;
  float to_float() const;

 private:
  struct Text {
    std::string text;
    std::string language;
  };
  using Content = std::variant<std::monostate, Text, bool, Decimal, double, DateTime>;
  Value(ValueKind kind, Content content) : kind_(kind), content_(std::move(content)) {}

  ValueKind kind_ = ValueKind::None;
  Content content_;
};

// Only what the datatype's lexical space allows has a value: no white space around numbers (RDF 1.1 section 5).
Value value_of(const Term& term);
// The same of a literal's parts, e.g. for casts.
Value parse_value(std::string_view lexical_form, std::string_view datatype);
// The literal for a value in canonical form (XSD 1.1: 1.0E0 for a double, 1 for a decimal without fraction).
// Requires a kind from String on.
Term to_term(const Value& value);
// The canonical lexical form alone. Requires the same.
std::string canonical_text(const Value& value);

// SPARQL's operators = < >, after promotion of numbers. `unordered` where NaN is involved (each of = < > is false).
// Nothing where SPARQL has a type error: kinds that do not compare, and moments of which one has no time zone and that
// lie within 14 hours (XSD 1.1 Part 2, section D.2.1). Language strings have no order.
std::optional<std::partial_ordering> compare_values(const Value& left, const Value& right);

// SPARQL's operator = for any two terms: values where both have comparable ones; false for values of kinds that share
// no value; else the same term, or nothing (a type error) for two different literals of which one is not understood.
std::optional<bool> equal_terms(const Term& left, const Term& right);

// Numeric operators with promotion integer < decimal < float < double; an integer divided by an integer is a decimal.
// Nothing for what is not numeric, a division of exact numbers by zero, and results beyond Decimal::digits_max.
std::optional<Value> add(const Value& left, const Value& right);
std::optional<Value> subtract(const Value& left, const Value& right);
std::optional<Value> multiply(const Value& left, const Value& right);
std::optional<Value> divide(const Value& left, const Value& right);
std::optional<Value> negate(const Value& value);

}  // namespace quadrille::model
