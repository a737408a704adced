// Moments as XSD has them: xsd:dateTime, xsd:date and xsd:time, with or without a time zone.
// https://www.w3.org/TR/xmlschema11-2/#dateTime; proleptic Gregorian calendar, no leap seconds, year 0 exists.
// Limits (XSD allows them): 9 digits for a year, 1000 for the fraction of a second; what has more does not parse.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/model/decimal.h"

namespace quadrille::model {

struct DateTime {
  Decimal local_seconds;                // since 1970-01-01T00:00:00 on the moment's own clock, exact
  std::optional<int16_t> zone_minutes;  // its clock minus UTC; -840 to 840

  // Seconds since 1970-01-01T00:00:00Z; without a time zone as if it were in UTC.
  Decimal instant() const;
};

// A moment's fields on its own clock.
struct DateTimeFields {
  int64_t year = 1970;
  int month = 1;
  int day = 1;
  int hour = 0;
  int minute = 0;
  Decimal second;  // 0 <= second < 60
};
DateTimeFields fields_of(const DateTime& moment);

// Days since 1970-01-01 of a date of the calendar.
int64_t days_from_civil(int64_t year, int month, int day) noexcept;

// The lexical forms of the three types; nothing for other text. A date is its first moment; a time is on 1970-01-01.
std::optional<DateTime> parse_date_time(std::string_view text);
std::optional<DateTime> parse_date(std::string_view text);
std::optional<DateTime> parse_time(std::string_view text);

// Canonical, the time zone kept ("Z" for 0).
std::string date_time_text(const DateTime& moment);
std::string date_text(const DateTime& moment);
std::string time_text(const DateTime& moment);
std::string zone_text(const std::optional<int16_t>& zone_minutes);  // "", "Z", "-05:00"

// xsd:dayTimeDuration, as exact seconds. https://www.w3.org/TR/xmlschema11-2/#dayTimeDuration
std::optional<Decimal> parse_day_time_duration(std::string_view text);
std::string day_time_duration_text(const Decimal& seconds);

}  // namespace quadrille::model
