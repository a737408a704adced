#include "replica/system_clocks.h"

#include <unistd.h>

#include <chrono>

#include "engine/base/check.h"

namespace quadrille::replica {

int64_t SystemWallClock::now_ms() const {
  using std::chrono::duration_cast, std::chrono::milliseconds, std::chrono::system_clock;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

int64_t SystemSteadyClock::now_us() const {
  using std::chrono::duration_cast, std::chrono::microseconds, std::chrono::steady_clock;
  return duration_cast<microseconds>(steady_clock::now().time_since_epoch()).count();
}

uint64_t SystemRandom::next() {
  uint64_t number = 0;
  QUADRILLE_CHECK(getentropy(&number, sizeof number) == 0, "the kernel has no random numbers");
  return number;
}

}  // namespace quadrille::replica
