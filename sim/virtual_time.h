// Time that passes only when nobody has anything left to do, and then jumps to the next thing that is due.
//
// One VirtualTime carries one kj::EventLoop on one thread. It starts at 0. What is computed takes no time; waiting for
// a timer or an alarm takes exactly as long as it says. Of one moment, timers fire before alarms, and each of the two
// kinds in the order in which they were set.
#pragma once

#include <kj/async.h>
#include <kj/time.h>
#include <kj/timer.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "engine/base/clock.h"

namespace quadrille::sim {

class VirtualTime final : private kj::EventPort {
 public:
  VirtualTime() : timer_(kj::origin<kj::TimePoint>()) {}

  // What the one kj::EventLoop is made with. Throws a kj::Exception from its wait() when nothing is left that could
  // ever happen.
  kj::EventPort& port() noexcept { return *this; }
  kj::Timer& timer() noexcept { return timer_; }
  int64_t now_us() const noexcept { return (timer_.now() - kj::origin<kj::TimePoint>()) / kj::MICROSECONDS; }

 private:
  friend class Alarm;
  using Moment = std::pair<int64_t, uint64_t>;  // microseconds, and a number that keeps the order of one moment

  bool wait() override;
  bool poll() override { return false; }

  kj::TimerImpl timer_;
  std::map<Moment, std::function<void()>> alarms_;
  uint64_t alarms_set_ = 0;
};

// Calls a function once at a moment, from the event port, outside of any promise: it may fulfil promises and set
// alarms, its own too. Cancelled when destroyed. Must not outlive the VirtualTime.
class Alarm {
 public:
  explicit Alarm(VirtualTime& time) : time_(time) {}
  ~Alarm() { cancel(); }
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  // Replaces what was set before. A moment that has passed means now.
  void set(int64_t at_us, std::function<void()> ring);
  void cancel();
  bool is_set() const noexcept { return moment_.has_value(); }

 private:
  VirtualTime& time_;
  std::optional<VirtualTime::Moment> moment_;
};

// Runs with virtual time and never goes back.
class SimulatedSteadyClock final : public base::SteadyClock {
 public:
  explicit SimulatedSteadyClock(const VirtualTime& time) : time_(time) {}
  int64_t now_us() const override { return time_.now_us(); }

 private:
  const VirtualTime& time_;
};

// What one machine believes the date to be: runs with virtual time, wrong by `skew_ms`, and jumps when told to.
class SimulatedWallClock final : public base::WallClock {
 public:
  // The date of moment 0: 2026-01-01T00:00:00Z.
  static constexpr int64_t start_ms = 1767225600000;

  SimulatedWallClock(const VirtualTime& time, int64_t skew_ms) : time_(time), skew_ms_(skew_ms) {}
  int64_t now_ms() const override { return start_ms + time_.now_us() / 1000 + skew_ms_; }
  void jump(int64_t by_ms) noexcept { skew_ms_ += by_ms; }

 private:
  const VirtualTime& time_;
  int64_t skew_ms_;
};

}  // namespace quadrille::sim
