#include "sync/peer_clock.h"

#include <algorithm>
#include <cstdlib>

namespace quadrille::sync {

namespace {

constexpr size_t samples_max = 8;
// What two clocks drift apart between samples, and the milliseconds in which they are told.
constexpr int64_t tolerance_us = 20'000;

int64_t micros(kj::TimePoint when) { return (when - kj::origin<kj::TimePoint>()) / kj::MICROSECONDS; }

}  // namespace

void PeerClock::add(kj::TimePoint asked, kj::TimePoint answered, int64_t wall_ms, int64_t skew_ms_max) {
  const int64_t round_trip = micros(answered) - micros(asked);
  const Sample sample{wall_ms * 1000 - (micros(asked) + round_trip / 2), round_trip};
  // What can no longer be reconciled with the newest is of before a jump of that clock.
  std::erase_if(samples_, [&](const Sample& older) {
    const int64_t possible = (older.round_trip_us + sample.round_trip_us) / 2 + tolerance_us;
    return std::abs(older.origin_us - sample.origin_us) > possible;
  });
  if (samples_.size() == samples_max) samples_.pop_front();
  samples_.push_back(sample);
  skew_ms_max_ = skew_ms_max;
}

const PeerClock::Sample* PeerClock::best() const {
  const auto best = std::min_element(samples_.begin(), samples_.end(), [](const Sample& left, const Sample& right) {
    return left.round_trip_us < right.round_trip_us;
  });
  return best == samples_.end() ? nullptr : &*best;
}

std::optional<int64_t> PeerClock::wall_ms_at(kj::TimePoint when) const {
  const Sample* sample = best();
  if (sample == nullptr) return std::nullopt;
  return (sample->origin_us + micros(when)) / 1000;
}

int64_t PeerClock::round_trip_ms() const {
  const Sample* sample = best();
  return sample == nullptr ? 0 : sample->round_trip_us / 1000;
}

}  // namespace quadrille::sync
