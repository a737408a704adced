// What the wall clock of another site shows, by what it answered and how long that took.
//
// As NTP does it (RFC 5905): from a round trip that began at t0 and ended at t3, with a clock that showed t1 when it
// was asked and t2 when it answered (here at once: the two are one), ours is behind by ((t1 - t0) + (t2 - t3)) / 2, and
// wrong by at most half the round trip. Of the last few the one with the shortest round trip counts. t0 and t3 are of
// the timer, which never jumps, so that a jump of this site's own clock is seen at once, without asking again.
#pragma once

#include <kj/timer.h>

#include <cstdint>
#include <deque>
#include <optional>

namespace quadrille::sync {

class PeerClock {
 public:
  // An answer that was asked for at `asked` and came at `answered`. `skew_ms_max`: how far ahead of its clock the other
  // site takes stamps.
  void add(kj::TimePoint asked, kj::TimePoint answered, int64_t wall_ms, int64_t skew_ms_max);

  // Nothing: it was never heard of.
  std::optional<int64_t> wall_ms_at(kj::TimePoint when) const;
  int64_t round_trip_ms() const;  // of the answer that counts; 0 if there is none
  int64_t skew_ms_max() const noexcept { return skew_ms_max_; }

 private:
  struct Sample {
    int64_t origin_us = 0;  // what the clock would have shown when the timer began to run
    int64_t round_trip_us = 0;
  };
  const Sample* best() const;

  std::deque<Sample> samples_;  // the newest last
  int64_t skew_ms_max_ = 0;
};

}  // namespace quadrille::sync
