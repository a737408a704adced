// Hybrid logical time. Kulkarni et al., "Logical Physical Clocks", 2014.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <limits>
#include <string>

#include "engine/base/clock.h"

namespace quadrille::log {

// Physical milliseconds since 1970 and a counter. (Stamp, origin) is a total order of changesets that agrees with
// causality. Stamps order; they never decide who has seen what (that is what version vectors are for).
struct Stamp {
  int64_t physical_ms = 0;
  uint32_t counter = 0;

  friend constexpr auto operator<=>(const Stamp&, const Stamp&) noexcept = default;
};
std::string to_string(Stamp stamp);  // "2026-11-30T11:32:59.123Z+4"

// Hands out stamps that only grow, above all that it has handed out or observed. Not thread-safe: the writer owns it.
// `floor`: what was reserved before the last stop or crash; the first stamp is above it.
class HybridClock {
 public:
  HybridClock(const base::WallClock& wall, Stamp floor) : wall_(wall), last_(floor) {}
  Stamp tick();
  void observe(Stamp remote);
  Stamp last() const noexcept { return last_; }
  // The wall clock, as far as it is believed: stamps follow it so far, and beyond that only grow by counts.
  int64_t now_ms() const { return std::min(wall_.now_ms(), believed_ms_max_); }
  void believe_up_to(int64_t wall_ms) noexcept { believed_ms_max_ = wall_ms; }

 private:
  const base::WallClock& wall_;
  Stamp last_;
  int64_t believed_ms_max_ = std::numeric_limits<int64_t>::max();
};

}  // namespace quadrille::log
