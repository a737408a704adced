#include "engine/model/inline_term.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "engine/base/check.h"
#include "engine/model/date_time.h"
#include "engine/model/vocabulary.h"

namespace quadrille::model {
namespace {

constexpr int64_t integer_offset = int64_t{1} << 55;

constexpr int decimal_digits = 6;
constexpr int64_t decimal_offset = int64_t{1} << 52;
constexpr int64_t decimal_steps = 1'000'000;

constexpr int64_t zone_offset = 842;
constexpr int64_t zone_count = inline_date_variants;

constexpr int64_t quarter_offset = 50;
constexpr int64_t quarter_least = -48;
constexpr int64_t quarter_greatest = 56;
constexpr int64_t date_time_variants = inline_date_time_variants;
static_assert((quarter_greatest + quarter_offset + 1) * 2 == date_time_variants);

// A day before the first year, so that no time zone makes a moment negative.
constexpr int64_t first_day = -719'163;  // days from 1970-01-01 to 0001-01-01, and one more
constexpr int64_t day_minutes = 1440;

// The zone code of text that ends in "Z" or in "+hh:mm", or in neither.
std::optional<int64_t> zone_minutes_in(std::string_view text, bool& is_z) {
  is_z = text.ends_with('Z');
  if (is_z) return 0;
  if (text.size() < 6) return std::nullopt;
  const char sign = text[text.size() - 6];
  if (text[text.size() - 3] != ':' || (sign != '+' && sign != '-')) return std::nullopt;
  const std::string_view tail = text.substr(text.size() - 5);
  const int64_t minutes = ((tail[0] - '0') * 10 + (tail[1] - '0')) * 60 + (tail[3] - '0') * 10 + (tail[4] - '0');
  return sign == '-' ? -minutes : minutes;
}

std::string zone_suffix(int64_t minutes) {
  return fmt::format("{}{:02}:{:02}", minutes < 0 ? '-' : '+', std::abs(minutes) / 60, std::abs(minutes) % 60);
}

// Each candidate_... gives a payload that may still stand for another lexical form: inline_id compares.
std::optional<uint64_t> candidate_integer(const std::string& text) {
  if (text.size() > 18) return std::nullopt;
  const auto number = Decimal::parse(text);
  const auto value = number ? number->to_int64() : std::nullopt;
  if (!value || *value < -integer_offset || *value >= integer_offset) return std::nullopt;
  return static_cast<uint64_t>(*value + integer_offset);
}

std::optional<uint64_t> candidate_decimal(const std::string& text) {
  if (text.size() > 18) return std::nullopt;
  const auto number = Decimal::parse(text);
  if (!number) return std::nullopt;
  const size_t point = text.find('.');
  const size_t digits = point == std::string::npos ? 0 : text.size() - point - 1;
  if (digits > decimal_digits) return std::nullopt;
  const auto steps = Decimal::multiply(*number, decimal_steps)->to_int64();
  if (!steps || *steps < -decimal_offset || *steps >= decimal_offset) return std::nullopt;
  return static_cast<uint64_t>(*steps + decimal_offset) * 8 + digits;
}

constexpr uint64_t sign_bit = uint64_t{1} << 63;

std::optional<uint64_t> candidate_double(const std::string& text) {
  if (text.size() > 32) return std::nullopt;
  const Value value = parse_value(text, vocabulary::xsd_double);
  if (value.kind() != ValueKind::Double || std::isnan(value.floating())) return std::nullopt;
  const auto bits = std::bit_cast<uint64_t>(value.floating());
  if ((bits & 0xff) != 0) return std::nullopt;
  return ((bits & sign_bit) != 0 ? ~bits : bits | sign_bit) >> 8;
}

double double_of(uint64_t payload) {
  const uint64_t bits = payload << 8;
  return std::bit_cast<double>((bits & sign_bit) != 0 ? bits & ~sign_bit : ~(bits | 0xff));
}

std::optional<uint64_t> candidate_date(const std::string& text) {
  if (text.size() < 10 || text.size() > 16) return std::nullopt;
  const auto moment = parse_date(text);
  if (!moment) return std::nullopt;
  const int64_t day = *moment->local_seconds.to_int64() / 86'400 - first_day;
  bool is_z = false;
  const auto minutes = zone_minutes_in(text.substr(10), is_z);
  const int64_t zone = is_z ? 1 : minutes ? *minutes + zone_offset : 0;
  return static_cast<uint64_t>((day * day_minutes - minutes.value_or(0)) * zone_count + zone);
}

DateTime date_of(uint64_t payload, int64_t& zone) {
  zone = static_cast<int64_t>(payload) % zone_count;
  const int64_t minutes = zone > 1 ? zone - zone_offset : 0;
  const int64_t local = static_cast<int64_t>(payload) / zone_count + minutes;
  DateTime moment{Decimal((local + first_day * day_minutes) * 60), std::nullopt};
  if (zone != 0) moment.zone_minutes = static_cast<int16_t>(minutes);
  return moment;
}

std::optional<uint64_t> candidate_date_time(const std::string& text) {
  if (text.size() < 19 || text.size() > 29) return std::nullopt;
  const auto moment = parse_date_time(text);
  if (!moment) return std::nullopt;
  const auto local_ms = Decimal::multiply(moment->local_seconds, 1000)->to_int64();
  if (!local_ms) return std::nullopt;
  bool is_z = false;
  const auto minutes = zone_minutes_in(text.substr(19), is_z);
  int64_t zone = is_z ? 1 : 0;
  if (minutes && !is_z) {
    const int64_t quarters = *minutes / 15;
    if (quarters < quarter_least || quarters > quarter_greatest) return std::nullopt;
    zone = quarters + quarter_offset;
  }
  const int64_t instant = *local_ms - first_day * 86'400'000 - minutes.value_or(0) * 60'000;
  if (instant < 0 || instant > static_cast<int64_t>(TermId::payload_mask) / date_time_variants) return std::nullopt;
  const int64_t has_digits = text.size() > 19 && text[19] == '.' ? 1 : 0;
  return static_cast<uint64_t>(instant * date_time_variants + zone * 2 + has_digits);
}

struct InlineDateTime {
  int64_t local_ms;  // since 1970-01-01T00:00:00 on its own clock
  int64_t zone;      // 0 none, 1 "Z", else an offset
  int64_t zone_minutes;
  bool has_digits;
};
InlineDateTime date_time_of(uint64_t payload) {
  const int64_t variant = static_cast<int64_t>(payload) % date_time_variants;
  InlineDateTime result{};
  result.zone = variant / 2;
  result.has_digits = variant % 2 != 0;
  result.zone_minutes = result.zone > 1 ? (result.zone - quarter_offset) * 15 : 0;
  const int64_t instant = static_cast<int64_t>(payload) / date_time_variants;
  result.local_ms = instant + first_day * 86'400'000 + result.zone_minutes * 60'000;
  return result;
}

std::string zone_part(int64_t zone, int64_t minutes) { return zone == 0 ? "" : zone == 1 ? "Z" : zone_suffix(minutes); }

std::string decimal_text(uint64_t payload) {
  const int64_t steps = static_cast<int64_t>(payload / 8) - decimal_offset;
  const int digits = static_cast<int>(payload % 8);
  const int64_t magnitude = std::abs(steps);
  std::string text = fmt::format("{}{}", steps < 0 ? "-" : "", magnitude / decimal_steps);
  if (digits > 0) text += "." + fmt::format("{:06}", magnitude % decimal_steps).substr(0, static_cast<size_t>(digits));
  return text;
}

std::string date_text_of(uint64_t payload) {
  int64_t zone = 0;
  DateTime moment = date_of(payload, zone);
  const int64_t minutes = moment.zone_minutes.value_or(0);
  moment.zone_minutes.reset();
  return date_text(moment) + zone_part(zone, minutes);
}

std::string date_time_text_of(uint64_t payload) {
  const InlineDateTime inlined = date_time_of(payload);
  const int64_t seconds = inlined.local_ms >= 0 ? inlined.local_ms / 1000 : -((-inlined.local_ms + 999) / 1000);
  std::string text = date_time_text({Decimal(seconds), std::nullopt});
  if (inlined.has_digits) text += fmt::format(".{:03}", inlined.local_ms - seconds * 1000);
  return text + zone_part(inlined.zone, inlined.zone_minutes);
}

std::string inline_text(TermId id) {
  switch (id.tag()) {
    case TermTag::Boolean: return id.payload() != 0 ? "true" : "false";
    case TermTag::Integer: return std::to_string(static_cast<int64_t>(id.payload()) - integer_offset);
    case TermTag::Decimal: return decimal_text(id.payload());
    case TermTag::Double: return canonical_text(Value::floating(double_of(id.payload())));
    case TermTag::Date: return date_text_of(id.payload());
    case TermTag::DateTime: return date_time_text_of(id.payload());
    default: break;
  }
  base::fail_check("id.is_inline()", "only an inline id is a term by itself", __FILE__, __LINE__);
}

std::string_view datatype_of(TermTag tag) {
  switch (tag) {
    case TermTag::Boolean: return vocabulary::xsd_boolean;
    case TermTag::Integer: return vocabulary::xsd_integer;
    case TermTag::Decimal: return vocabulary::xsd_decimal;
    case TermTag::Double: return vocabulary::xsd_double;
    case TermTag::Date: return vocabulary::xsd_date;
    default: return vocabulary::xsd_date_time;
  }
}

std::optional<TermId> checked(TermTag tag, std::optional<uint64_t> payload, const std::string& text) {
  if (!payload || *payload > TermId::payload_mask) return std::nullopt;
  const TermId id(tag, *payload);
  if (inline_text(id) != text) return std::nullopt;
  return id;
}

}  // namespace

std::optional<TermId> inline_id(const Term& term) {
  const std::string_view datatype = term.datatype();
  const std::string& text = term.text();
  if (term.is_plain_string() || !datatype.starts_with(vocabulary::xsd)) return std::nullopt;
  if (datatype == vocabulary::xsd_integer) return checked(TermTag::Integer, candidate_integer(text), text);
  if (datatype == vocabulary::xsd_date_time) return checked(TermTag::DateTime, candidate_date_time(text), text);
  if (datatype == vocabulary::xsd_date) return checked(TermTag::Date, candidate_date(text), text);
  if (datatype == vocabulary::xsd_decimal) return checked(TermTag::Decimal, candidate_decimal(text), text);
  if (datatype == vocabulary::xsd_double) return checked(TermTag::Double, candidate_double(text), text);
  if (datatype == vocabulary::xsd_boolean) return checked(TermTag::Boolean, text == "true" ? 1 : 0, text);
  return std::nullopt;
}

Term inline_term(TermId id) { return Term::typed_literal(inline_text(id), std::string(datatype_of(id.tag()))); }

Value inline_value(TermId id) {
  switch (id.tag()) {
    case TermTag::Boolean: return Value::boolean(id.payload() != 0);
    case TermTag::Integer: return Value::integer(static_cast<int64_t>(id.payload()) - integer_offset);
    case TermTag::Decimal:
      return Value::decimal(Decimal::scaled(static_cast<int64_t>(id.payload() / 8) - decimal_offset, decimal_digits));
    case TermTag::Double: return Value::floating(double_of(id.payload()));
    case TermTag::Date: {
      int64_t zone = 0;
      return Value::date(date_of(id.payload(), zone));
    }
    case TermTag::DateTime: {
      const InlineDateTime inlined = date_time_of(id.payload());
      DateTime moment{Decimal::scaled(inlined.local_ms, 3), std::nullopt};
      if (inlined.zone != 0) moment.zone_minutes = static_cast<int16_t>(inlined.zone_minutes);
      return Value::date_time(moment);
    }
    default: break;
  }
  base::fail_check("id.is_inline()", "only an inline id is a term by itself", __FILE__, __LINE__);
}

}  // namespace quadrille::model
