#include "engine/model/value.h"

#include <catch2/catch.hpp>
#include <limits>

#include "engine/model/vocabulary.h"

using namespace quadrille::model;

namespace {

Term typed(const std::string& text, const std::string& local_name) {
  return Term::typed_literal(text, std::string(vocabulary::xsd) + local_name);
}
Value value(const std::string& text, const std::string& local_name) { return value_of(typed(text, local_name)); }
std::string canonical(const std::string& text, const std::string& local_name) {
  const Value parsed = value(text, local_name);
  return parsed.kind() == ValueKind::IllFormed ? "ill-formed" : canonical_text(parsed);
}
Value integer(const std::string& text) { return value(text, "integer"); }
Value decimal(const std::string& text) { return value(text, "decimal"); }
std::string text_of(const std::optional<Value>& result) { return result ? to_ntriples(to_term(*result)) : "error"; }
std::string quoted(const std::string& text, const std::string& local_name) {
  return to_ntriples(typed(text, local_name));
}

}  // namespace

TEST_CASE("numbers are parsed as XSD says and written in canonical form") {
  CHECK(canonical("+007", "integer") == "7");
  CHECK(canonical("-0", "integer") == "0");
  CHECK(canonical("123456789012345678901234567890", "integer") == "123456789012345678901234567890");
  CHECK(canonical("-9223372036854775808", "integer") == "-9223372036854775808");
  CHECK(canonical("000000000000000000000000000000009", "integer") == "9");
  CHECK(canonical("1.", "decimal") == "1");
  CHECK(canonical(".50", "decimal") == "0.5");
  CHECK(canonical("-0.00", "decimal") == "0");
  CHECK(canonical("-12345678901234567890.123456789000", "decimal") == "-12345678901234567890.123456789");
  CHECK(canonical("1", "double") == "1.0E0");
  CHECK(canonical("-12.5e3", "double") == "-1.25E4");
  CHECK(canonical("0.001", "float") == "1.0E-3");
  CHECK(canonical("+INF", "double") == "INF");
  CHECK(canonical("1E400", "double") == "INF");
  CHECK(canonical("-1E400", "double") == "-INF");
  CHECK(canonical("0.0000000001E-400", "double") == "0.0E0");
  CHECK(canonical("1E99999999999999999999", "double") == "INF");
  CHECK(canonical("16777217", "float") == "1.6777216E7");
}

TEST_CASE("text outside a datatype's lexical space is ill-formed") {
  for (const char* text : {"", "+", "1.5", " 1", "1 ", "1e3", "0x10", "--1", "\xD9\xA1"}) {
    CHECK(canonical(text, "integer") == "ill-formed");
  }
  for (const char* text : {"", ".", "1e3", "INF", "1.2.3", "-"}) CHECK(canonical(text, "decimal") == "ill-formed");
  for (const char* text : {"", ".", "1e", "e5", "inf", "nan", "Infinity", "0x1p3", "1e5.0", "+NaN"}) {
    CHECK(canonical(text, "double") == "ill-formed");
  }
  for (const char* text : {"TRUE", "yes", ""}) CHECK(canonical(text, "boolean") == "ill-formed");
}

TEST_CASE("types derived from integer are numbers within their bounds") {
  CHECK(canonical("127", "byte") == "127");
  CHECK(canonical("128", "byte") == "ill-formed");
  CHECK(canonical("18446744073709551615", "unsignedLong") == "18446744073709551615");
  CHECK(canonical("18446744073709551616", "unsignedLong") == "ill-formed");
  CHECK(canonical("-1", "nonNegativeInteger") == "ill-formed");
  CHECK(canonical("0", "negativeInteger") == "ill-formed");
  CHECK(value("5", "int").kind() == ValueKind::Integer);
}

TEST_CASE("dates and times are parsed and written in canonical form") {
  CHECK(canonical("2024-02-29", "date") == "2024-02-29");
  CHECK(canonical("2023-02-29", "date") == "ill-formed");
  CHECK(canonical("1900-02-29", "date") == "ill-formed");
  CHECK(canonical("-0044-03-15Z", "date") == "-0044-03-15Z");
  CHECK(canonical("12024-01-01", "date") == "12024-01-01");
  CHECK(canonical("02024-01-01", "date") == "ill-formed");
  CHECK(canonical("2024-1-01", "date") == "ill-formed");
  CHECK(canonical("2024-12-31T24:00:00", "dateTime") == "2025-01-01T00:00:00");
  CHECK(canonical("2024-12-31T24:00:01", "dateTime") == "ill-formed");
  CHECK(canonical("2008-06-20T00:00:00.500+01:00", "dateTime") == "2008-06-20T00:00:00.5+01:00");
  CHECK(canonical("1969-12-31T23:59:59.25-00:00", "dateTime") == "1969-12-31T23:59:59.25Z");
  CHECK(canonical("2008-06-20T00:00:60", "dateTime") == "ill-formed");
  CHECK(canonical("2008-06-20T00:00:00.", "dateTime") == "ill-formed");
  CHECK(canonical("2008-06-20T00:00:00+14:01", "dateTime") == "ill-formed");
  CHECK(canonical("2008-06-20 00:00:00", "dateTime") == "ill-formed");
  CHECK(canonical("23:05:09.10-05:30", "time") == "23:05:09.1-05:30");
  CHECK(canonical("24:00:00", "time") == "00:00:00");
  CHECK(canonical("P1DT2H", "dayTimeDuration") == "P1DT2H");
  CHECK(canonical("-PT90061.50S", "dayTimeDuration") == "-P1DT1H1M1.5S");
  CHECK(canonical("PT0S", "dayTimeDuration") == "PT0S");
  for (const char* text : {"P", "PT", "P1DT", "P1H", "PT1D", "P1M", "PT1.5H", "PT1S1M", "1D"}) {
    CHECK(canonical(text, "dayTimeDuration") == "ill-formed");
  }
}

TEST_CASE("a moment's fields are those of the calendar, on its own clock") {
  const DateTimeFields fields = fields_of(parse_date_time("1600-02-29T23:59:58.75+05:00").value());
  CHECK(fields.year == 1600);
  CHECK(fields.month == 2);
  CHECK(fields.day == 29);
  CHECK(fields.hour == 23);
  CHECK(fields.minute == 59);
  CHECK(fields.second == Decimal::scaled(5875, 2));
  CHECK(parse_date_time("1970-01-01T00:00:00Z")->instant() == Decimal(0));
  CHECK(parse_date_time("2000-03-01T00:00:00+01:00")->instant() == Decimal(951865200));
}

TEST_CASE("a literal with millions of digits costs little and is no number") {
  CHECK(value(std::string(5'000'000, '9'), "integer").kind() == ValueKind::IllFormed);
  CHECK(canonical(std::string(5'000'000, '0') + "1", "integer") == "1");
  CHECK(value("2024-01-01T00:00:00." + std::string(5'000'000, '9'), "dateTime").kind() == ValueKind::IllFormed);
  const std::string largest(Decimal::digits_max, '9');
  CHECK(canonical(largest, "integer") == largest);
  CHECK(multiply(integer(largest), integer(largest)) == std::nullopt);
  CHECK(decimal(largest.substr(1) + ".5").decimal().rounded() == decimal("1" + std::string(9999, '0')).decimal());
}

TEST_CASE("exact numbers are calculated exactly") {
  CHECK(text_of(add(decimal("0.1"), decimal("0.2"))) == quoted("0.3", "decimal"));
  CHECK(text_of(add(integer("9223372036854775807"), integer("1"))) == quoted("9223372036854775808", "integer"));
  CHECK(text_of(subtract(integer("9223372036854775808"), integer("1"))) == quoted("9223372036854775807", "integer"));
  CHECK(text_of(multiply(integer("9223372036854775807"), integer("-9223372036854775807"))) ==
        quoted("-85070591730234615847396907784232501249", "integer"));
  CHECK(text_of(multiply(decimal("1.5"), integer("2"))) == quoted("3", "decimal"));
  CHECK(text_of(negate(integer("-9223372036854775808"))) == quoted("9223372036854775808", "integer"));
}

TEST_CASE("division of exact numbers gives a decimal with enough digits") {
  CHECK(text_of(divide(integer("6"), integer("4"))) == quoted("1.5", "decimal"));
  CHECK(text_of(divide(integer("1"), integer("3"))) == quoted("0.333333333333333333333", "decimal"));
  CHECK(text_of(divide(integer("-2"), integer("3"))) == quoted("-0.666666666666666666667", "decimal"));
  CHECK(text_of(divide(decimal("1"), decimal("0.00000000000000000003"))) ==
        quoted("33333333333333333333.333333333333333333", "decimal"));
  CHECK(divide(integer("1"), integer("0")) == std::nullopt);
  CHECK(text_of(divide(integer("1"), value("0", "double"))) == quoted("INF", "double"));
}

TEST_CASE("numbers are promoted to the wider type of the two") {
  CHECK(text_of(add(integer("1"), value("1.5", "float"))) == quoted("2.5E0", "float"));
  CHECK(text_of(add(value("1.5", "float"), value("1", "double"))) == quoted("2.5E0", "double"));
  CHECK(text_of(add(integer("1"), Value::string("1"))) == "error");
}

TEST_CASE("SPARQL's comparison follows values, and is a type error between kinds") {
  const auto order = [](const Value& a, const Value& b) { return compare_values(a, b); };
  CHECK(order(integer("01"), decimal("1.0")) == std::partial_ordering::equivalent);
  CHECK(order(decimal("0.1"), value("0.1", "double")) == std::partial_ordering::equivalent);
  CHECK(order(value("NaN", "double"), integer("1")) == std::partial_ordering::unordered);
  CHECK(order(integer("2"), value("INF", "float")) == std::partial_ordering::less);
  CHECK(order(Value::string("\xC3\xA9"), Value::string("z")) == std::partial_ordering::greater);
  CHECK(order(integer("1"), Value::string("1")) == std::nullopt);
  CHECK(order(value("2006-08-23", "date"), value("2006-08-23Z", "date")) == std::nullopt);
  CHECK(order(value("2006-08-22", "date"), value("2006-08-23Z", "date")) == std::partial_ordering::less);
  CHECK(order(value("2006-08-23T01:00:00+01:00", "dateTime"), value("2006-08-23T00:00:00Z", "dateTime")) ==
        std::partial_ordering::equivalent);
}

TEST_CASE("SPARQL's equality knows different values, and is an error for what is not understood") {
  CHECK(equal_terms(typed("1", "integer"), typed("1.0", "double")) == true);
  CHECK(equal_terms(typed("1", "integer"), Term::literal("1")) == false);
  CHECK(equal_terms(typed("2006-08-23", "date"), typed("2006-08-23T00:00:00", "dateTime")) == false);
  CHECK(equal_terms(Term::typed_literal("a", "urn:t"), Term::typed_literal("b", "urn:t")) == std::nullopt);
  CHECK(equal_terms(Term::typed_literal("a", "urn:t"), Term::typed_literal("a", "urn:t")) == true);
  CHECK(equal_terms(typed("x", "integer"), typed("1", "integer")) == std::nullopt);
  CHECK(equal_terms(typed("NaN", "double"), typed("NaN", "double")) == false);
  CHECK(equal_terms(Term::iri("urn:a"), Term::literal("urn:a")) == false);
  CHECK(equal_terms(Term::language_literal("a", "en"), Term::language_literal("a", "fr")) == false);
}

TEST_CASE("rounding follows XPath") {
  const auto d = [](const char* text) { return Decimal::parse(text).value(); };
  CHECK(d("2.5").rounded() == Decimal(3));
  CHECK(d("-2.5").rounded() == Decimal(-2));
  CHECK(d("-2.51").rounded() == Decimal(-3));
  CHECK(d("-2.5").floor() == Decimal(-3));
  CHECK(d("-2.5").ceiling() == Decimal(-2));
  CHECK(d("12345678901234567890123.4").ceiling().to_string() == "12345678901234567890124");
}

TEST_CASE("a double becomes the decimal that it is, and comes back") {
  for (double number : {0.1, -1e300, 5e-324, 1.7976931348623157e308, 9007199254740993.0, -0.75, 1e22, 1e23}) {
    const Decimal exact = Decimal::from_double(number).value();
    CHECK(exact.to_double() == number);
  }
  CHECK(Decimal::from_double(0.5)->to_string() == "0.5");
  CHECK(Decimal::from_double(std::numeric_limits<double>::infinity()) == std::nullopt);
  CHECK(Decimal::parse("0.1").value() != Decimal::from_double(0.1).value());
  CHECK(Decimal::parse("9007199254740993")->to_double() == 9007199254740992.0);
}
