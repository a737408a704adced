// What a simulation itself does, and when: faults, requests of clients, reads. Each entry runs on the thread's main
// stack while the event loop stands still, so it may tear sites down.
#pragma once

#include <kj/async.h>

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "sim/virtual_time.h"

namespace quadrille::sim {

class Agenda {
 public:
  // Entries of one moment run in the order in which they were added. An entry may add others.
  void add(int64_t at_us, std::function<void()> what) { entries_.emplace(Moment{at_us, ++added_}, std::move(what)); }
  void clear() { entries_.clear(); }

  // Lets time pass, and runs what is due, up to and including `until_us`.
  void run_until(int64_t until_us, VirtualTime& time, kj::WaitScope& scope) {
    while (!entries_.empty() && entries_.begin()->first.first <= until_us) {
      const auto first = entries_.begin();
      pass_until(first->first.first, time, scope);
      const auto what = std::move(first->second);
      entries_.erase(first);
      what();
    }
    pass_until(until_us, time, scope);
  }

 private:
  using Moment = std::pair<int64_t, uint64_t>;

  static void pass_until(int64_t at_us, VirtualTime& time, kj::WaitScope& scope) {
    if (at_us > time.now_us()) {
      time.timer().atTime(kj::origin<kj::TimePoint>() + at_us * kj::MICROSECONDS).wait(scope);
    }
  }

  std::map<Moment, std::function<void()>> entries_;
  uint64_t added_ = 0;
};

}  // namespace quadrille::sim
