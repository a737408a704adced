// This machine's time and chance, for a site that runs as a process. Callable from any thread.
#pragma once

#include <cstdint>

#include "engine/base/clock.h"

namespace quadrille::replica {

class SystemWallClock final : public base::WallClock {
 public:
  int64_t now_ms() const override;
};

class SystemSteadyClock final : public base::SteadyClock {
 public:
  int64_t now_us() const override;
};

// The kernel's random numbers, fit for names that must be unique in the world.
class SystemRandom final : public base::RandomSource {
 public:
  uint64_t next() override;
};

}  // namespace quadrille::replica
