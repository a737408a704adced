#include "log/stamp.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>

namespace quadrille::log {

std::string to_string(Stamp stamp) {
  using std::chrono::floor;
  const std::chrono::sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds(stamp.physical_ms)};
  const auto day = floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  std::string text =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                  clock.minutes().count(), clock.seconds().count(), clock.subseconds().count());
  if (stamp.counter != 0) text += fmt::format("+{}", stamp.counter);
  return text;
}

Stamp HybridClock::tick() {
  const int64_t now = now_ms();
  if (now > last_.physical_ms) {
    last_ = {now, 0};
  } else if (last_.counter == std::numeric_limits<uint32_t>::max()) {
    last_ = {last_.physical_ms + 1, 0};
  } else {
    ++last_.counter;
  }
  return last_;
}

void HybridClock::observe(Stamp remote) { last_ = std::max(last_, remote); }

}  // namespace quadrille::log
