// What the programs that measure a store share.
#pragma once

#include <time.h>

#include <cstdint>

#include "engine/base/clock.h"

namespace quadrille::bench {

// The same blank nodes in each run.
class FixedBits final : public base::RandomSource {
 public:
  uint64_t next() override { return 42; }
};

// Processor time of this thread: other work on the machine disturbs it least.
class Stopwatch {
 public:
  double seconds() const { return now() - start_; }

 private:
  static double now() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }
  double start_ = now();
};

}  // namespace quadrille::bench
