#include "engine/model/date_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace quadrille::model {
namespace {

constexpr int64_t day_seconds = 86'400;
constexpr size_t fraction_digits_max = 1000;  // of a second: far below what a Decimal holds, so that sums are exact

// Takes text apart from the left; every step says whether it was there.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}
  bool at_end() const { return text_.empty(); }
  bool take(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  std::string_view digits() {
    size_t count = 0;
    while (count < text_.size() && text_[count] >= '0' && text_[count] <= '9') ++count;
    const std::string_view found = text_.substr(0, count);
    text_.remove_prefix(count);
    return found;
  }
  // Just two digits, at most `max`.
  bool two(int max, int& number) {
    if (text_.size() < 2) return false;
    const char tens = text_[0], ones = text_[1];
    if (tens < '0' || tens > '9' || ones < '0' || ones > '9') return false;
    number = (tens - '0') * 10 + (ones - '0');
    text_.remove_prefix(2);
    return number <= max;
  }

 private:
  std::string_view text_;
};

int64_t number_of(std::string_view digits) {
  int64_t number = 0;
  for (char c : digits) number = number * 10 + (c - '0');
  return number;
}

bool is_leap(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int days_in_month(int64_t year, int month) {
  constexpr int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap(year) ? 29 : days[month - 1];
}

// yyyy-mm-dd as days since 1970-01-01.
bool read_date(Reader& reader, int64_t& days) {
  const bool negative = reader.take('-');
  const std::string_view digits = reader.digits();
  if (digits.size() < 4 || digits.size() > 9 || (digits.size() > 4 && digits.front() == '0')) return false;
  const int64_t year = negative ? -number_of(digits) : number_of(digits);
  int month = 0, day = 0;
  if (!reader.take('-') || !reader.two(12, month) || month == 0) return false;
  if (!reader.take('-') || !reader.two(days_in_month(year, month), day) || day == 0) return false;
  days = days_from_civil(year, month, day);
  return true;
}

// hh:mm:ss(.s+)? as seconds of the day; 24:00:00 is the next day's 00:00:00.
bool read_clock(Reader& reader, int64_t& seconds, Decimal& fraction) {
  int hour = 0, minute = 0, second = 0;
  if (!reader.two(24, hour) || !reader.take(':') || !reader.two(59, minute)) return false;
  if (!reader.take(':') || !reader.two(59, second)) return false;
  if (reader.take('.')) {
    const std::string_view digits = reader.digits();
    if (digits.empty() || digits.size() > fraction_digits_max) return false;
    fraction = *Decimal::parse("0." + std::string(digits));
  }
  seconds = hour * 3600 + minute * 60 + second;
  return seconds < day_seconds || (seconds == day_seconds && fraction.is_zero());
}

// The rest of the text: nothing, Z, or +hh:mm.
bool read_zone(Reader& reader, std::optional<int16_t>& zone) {
  if (reader.at_end()) return true;
  if (reader.take('Z')) {
    zone = 0;
    return reader.at_end();
  }
  const bool negative = reader.take('-');
  int hours = 0, minutes = 0;
  if (!negative && !reader.take('+')) return false;
  if (!reader.two(14, hours) || !reader.take(':') || !reader.two(hours == 14 ? 0 : 59, minutes)) return false;
  const int total = hours * 60 + minutes;
  zone = static_cast<int16_t>(negative ? -total : total);
  return reader.at_end();
}

DateTime moment_of(int64_t days, int64_t seconds, const Decimal& fraction, std::optional<int16_t> zone) {
  return {*Decimal::add(days * day_seconds + seconds, fraction), zone};
}

// The inverse of days_from_civil. Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
void civil_from_days(int64_t days, DateTimeFields& fields) {
  days += 719'468;
  const int64_t era = (days >= 0 ? days : days - 146'096) / 146'097;
  const int64_t day_of_era = days - era * 146'097;
  const int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t shifted_month = (5 * day_of_year + 2) / 153;
  fields.day = static_cast<int>(day_of_year - (153 * shifted_month + 2) / 5 + 1);
  fields.month = static_cast<int>(shifted_month < 10 ? shifted_month + 3 : shifted_month - 9);
  fields.year = year_of_era + era * 400 + (fields.month <= 2 ? 1 : 0);
}

std::string date_of(const DateTimeFields& fields) {
  return fmt::format("{}{:04}-{:02}-{:02}", fields.year < 0 ? "-" : "", std::abs(fields.year), fields.month,
                     fields.day);
}

std::string clock_of(const DateTimeFields& fields) {
  std::string second = fields.second.to_string();
  if (second.size() == 1 || second[1] == '.') second.insert(0, 1, '0');
  return fmt::format("{:02}:{:02}:{}", fields.hour, fields.minute, second);
}

}  // namespace

Decimal DateTime::instant() const {
  if (zone_minutes.value_or(0) == 0) return local_seconds;
  return *Decimal::subtract(local_seconds, int64_t{*zone_minutes} * 60);
}

// Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
int64_t days_from_civil(int64_t year, int month, int day) noexcept {
  if (month <= 2) --year;
  const int64_t era = (year >= 0 ? year : year - 399) / 400;
  const int64_t year_of_era = year - era * 400;
  const int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  const int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146'097 + day_of_era - 719'468;
}

DateTimeFields fields_of(const DateTime& moment) {
  const Decimal whole = moment.local_seconds.floor();
  const int64_t seconds = *whole.to_int64();
  const int64_t days = seconds >= 0 ? seconds / day_seconds : -((-seconds + day_seconds - 1) / day_seconds);
  const int64_t of_day = seconds - days * day_seconds;
  DateTimeFields fields;
  civil_from_days(days, fields);
  fields.hour = static_cast<int>(of_day / 3600);
  fields.minute = static_cast<int>(of_day / 60 % 60);
  const Decimal fraction = *Decimal::subtract(moment.local_seconds, whole);
  fields.second = *Decimal::add(of_day % 60, fraction);
  return fields;
}

std::optional<DateTime> parse_date_time(std::string_view text) {
  Reader reader(text);
  int64_t days = 0, seconds = 0;
  Decimal fraction;
  std::optional<int16_t> zone;
  if (!read_date(reader, days) || !reader.take('T') || !read_clock(reader, seconds, fraction)) return std::nullopt;
  if (!read_zone(reader, zone)) return std::nullopt;
  return moment_of(days, seconds, fraction, zone);
}

std::optional<DateTime> parse_date(std::string_view text) {
  Reader reader(text);
  int64_t days = 0;
  std::optional<int16_t> zone;
  if (!read_date(reader, days) || !read_zone(reader, zone)) return std::nullopt;
  return moment_of(days, 0, {}, zone);
}

std::optional<DateTime> parse_time(std::string_view text) {
  Reader reader(text);
  int64_t seconds = 0;
  Decimal fraction;
  std::optional<int16_t> zone;
  if (!read_clock(reader, seconds, fraction) || !read_zone(reader, zone)) return std::nullopt;
  return moment_of(0, seconds % day_seconds, fraction, zone);
}

std::string date_time_text(const DateTime& moment) {
  const DateTimeFields fields = fields_of(moment);
  return date_of(fields) + "T" + clock_of(fields) + zone_text(moment.zone_minutes);
}

std::string date_text(const DateTime& moment) { return date_of(fields_of(moment)) + zone_text(moment.zone_minutes); }
std::string time_text(const DateTime& moment) { return clock_of(fields_of(moment)) + zone_text(moment.zone_minutes); }

std::string zone_text(const std::optional<int16_t>& zone_minutes) {
  if (!zone_minutes) return {};
  if (*zone_minutes == 0) return "Z";
  const int total = std::abs(*zone_minutes);
  return fmt::format("{}{:02}:{:02}", *zone_minutes < 0 ? '-' : '+', total / 60, total % 60);
}

std::optional<Decimal> parse_day_time_duration(std::string_view text) {
  Reader reader(text);
  const bool negative = reader.take('-');
  if (!reader.take('P')) return std::nullopt;
  struct Part {
    char letter;
    int64_t seconds;
  };
  constexpr Part parts[] = {{'D', day_seconds}, {'H', 3600}, {'M', 60}, {'S', 1}};
  constexpr size_t digits_max = 12;
  const Part* next = parts;
  bool clock = false, any = false;
  Decimal total;
  while (!reader.at_end()) {
    if (!clock && reader.take('T')) {
      clock = true;
      any = false;
      next = std::max(next, parts + 1);
      continue;
    }
    const std::string_view whole = reader.digits();
    if (whole.empty() || whole.size() > digits_max) return std::nullopt;
    std::string number(whole);
    const bool has_fraction = reader.take('.');
    if (has_fraction) {
      const std::string_view fraction = reader.digits();
      if (fraction.empty() || fraction.size() > fraction_digits_max) return std::nullopt;
      number.append(".").append(fraction);
    }
    const Part* part = next;
    while (part != std::end(parts) && !reader.take(part->letter)) ++part;
    if (part == std::end(parts) || (part != parts) != clock) return std::nullopt;
    if (has_fraction && part->letter != 'S') return std::nullopt;
    total = *Decimal::add(total, *Decimal::multiply(*Decimal::parse(number), part->seconds));
    next = part + 1;
    any = true;
  }
  if (!any) return std::nullopt;
  return negative ? total.negated() : total;
}

std::string day_time_duration_text(const Decimal& seconds) {
  const Decimal magnitude = seconds.sign() < 0 ? seconds.negated() : seconds;
  const Decimal whole = magnitude.floor();
  const int64_t total = whole.to_int64().value_or(0);
  const Decimal second = *Decimal::add(total % 60, *Decimal::subtract(magnitude, whole));
  std::string text = seconds.sign() < 0 ? "-P" : "P";
  if (total >= day_seconds) text += fmt::format("{}D", total / day_seconds);
  const int64_t hours = total / 3600 % 24, minutes = total / 60 % 60;
  if (hours == 0 && minutes == 0 && second.is_zero()) return seconds.is_zero() ? "PT0S" : text;
  text += 'T';
  if (hours != 0) text += fmt::format("{}H", hours);
  if (minutes != 0) text += fmt::format("{}M", minutes);
  if (!second.is_zero()) text += second.to_string() + "S";
  return text;
}

}  // namespace quadrille::model
