#include "sim/virtual_time.h"

#include <kj/debug.h>

#include <algorithm>

namespace quadrille::sim {

bool VirtualTime::wait() {
  std::optional<kj::TimePoint> due;
  KJ_IF_MAYBE (next, timer_.nextEvent()) {
    due = *next;
  }
  if (!alarms_.empty()) {
    const auto at = kj::origin<kj::TimePoint>() + alarms_.begin()->first.first * kj::MICROSECONDS;
    if (!due || at < *due) due = at;
  }
  KJ_REQUIRE(due.has_value(), "virtual time stands still: nothing is scheduled and somebody waits");
  timer_.advanceTo(std::max(timer_.now(), *due));

  // Only what is due now and was set before: an alarm that sets itself again for now must not hold time up here.
  const uint64_t set_before = alarms_set_;
  for (auto first = alarms_.begin();
       first != alarms_.end() && first->first.first <= now_us() && first->first.second <= set_before;
       first = alarms_.begin()) {
    const auto ring = std::move(first->second);
    alarms_.erase(first);
    ring();
  }
  return false;
}

void Alarm::set(int64_t at_us, std::function<void()> ring) {
  cancel();
  moment_ = {std::max(at_us, time_.now_us()), ++time_.alarms_set_};
  time_.alarms_.emplace(*moment_, [this, ring = std::move(ring)]() {
    moment_.reset();
    ring();
  });
}

void Alarm::cancel() {
  if (moment_) time_.alarms_.erase(*moment_);
  moment_.reset();
}

}  // namespace quadrille::sim
