// One call in the future, which may be moved and called off.
#pragma once

#include <kj/async.h>
#include <kj/timer.h>

#include <functional>
#include <optional>

namespace quadrille::sync {

class Alarm {
 public:
  // `ring` must not throw, and must not destroy the alarm.
  Alarm(kj::Timer& timer, std::function<void()> ring) : timer_(timer), ring_(std::move(ring)) {}

  // A time that has passed means now.
  void set(kj::TimePoint when) {
    when = kj::max(when, timer_.now());
    if (when_ == when) return;
    when_ = when;
    // A promise must not be replaced by its own continuation: ringing is a promise of its own.
    waiting_ = timer_.atTime(when)
                   .then([this] {
                     when_.reset();
                     ringing_ = kj::evalLater([this] { ring_(); }).eagerlyEvaluate(nullptr);
                   })
                   .eagerlyEvaluate(nullptr);
  }
  void set_after(kj::Duration delay) { set(timer_.now() + delay); }
  bool is_set() const noexcept { return when_.has_value(); }
  void call_off() {
    when_.reset();
    waiting_ = nullptr;
  }

 private:
  kj::Timer& timer_;
  std::function<void()> ring_;
  std::optional<kj::TimePoint> when_;
  kj::Promise<void> waiting_ = nullptr;
  kj::Promise<void> ringing_ = nullptr;
};

}  // namespace quadrille::sync
