// Time and chance come in from outside: nothing in engine, log, reconcile, policies or sync asks the system for them.
#pragma once

#include <cstdint>

namespace quadrille::base {

// Milliseconds since 1970-01-01T00:00:00Z as this machine believes them; may jump. Callable from any thread.
class WallClock {
 public:
  virtual ~WallClock() = default;
  virtual int64_t now_ms() const = 0;
};

// Microseconds since an arbitrary moment; never goes back. For deadlines and durations. Callable from any thread.
class SteadyClock {
 public:
  virtual ~SteadyClock() = default;
  virtual int64_t now_us() const = 0;
};

// Random bits. Callable from any thread.
class RandomSource {
 public:
  virtual ~RandomSource() = default;
  virtual uint64_t next() = 0;
};

}  // namespace quadrille::base
