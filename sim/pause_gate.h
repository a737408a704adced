// Whether the process of a site is running; what waits for it when it is not. And a timer that obeys it.
#pragma once

#include <kj/async.h>
#include <kj/timer.h>

#include <utility>
#include <vector>

namespace quadrille::sim {

class PauseGate {
 public:
  bool is_open() const noexcept { return is_open_; }
  // Done at once while open, else when it opens, in the order of the calls.
  kj::Promise<void> pass() {
    if (is_open_) return kj::READY_NOW;
    auto pair = kj::newPromiseAndFulfiller<void>();
    waiting_.push_back(kj::mv(pair.fulfiller));
    return kj::mv(pair.promise);
  }
  void close() noexcept { is_open_ = false; }
  void open() {
    is_open_ = true;
    for (auto& each : std::exchange(waiting_, {})) each->fulfill();
  }

 private:
  bool is_open_ = true;
  std::vector<kj::Own<kj::PromiseFulfiller<void>>> waiting_;
};

// Time goes on while the process is paused, but nothing in it hears of that.
class PausableTimer final : public kj::Timer {
 public:
  PausableTimer(kj::Timer& timer, PauseGate& gate) : timer_(timer), gate_(gate) {}

  kj::TimePoint now() const override { return timer_.now(); }
  kj::Promise<void> atTime(kj::TimePoint time) override { return through_gate(timer_.atTime(time)); }
  kj::Promise<void> afterDelay(kj::Duration delay) override { return through_gate(timer_.afterDelay(delay)); }

 private:
  kj::Promise<void> through_gate(kj::Promise<void> promise) {
    return promise.then([this]() { return gate_.pass(); });
  }

  kj::Timer& timer_;
  PauseGate& gate_;
};

}  // namespace quadrille::sim
