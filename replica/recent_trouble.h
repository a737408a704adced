// What went wrong lately, a line each: told as it happens, but not the same line again and again, and kept for the
// site's status.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "replica/site/status.h"

namespace quadrille::replica {

// Belongs to one thread.
class RecentTrouble {
 public:
  using Say = std::function<void(const std::string&)>;
  // A peer that is away is dialed every few seconds: a line is said once in `quiet_ms`, however often it comes.
  RecentTrouble(const base::WallClock& clock, Say say, int64_t quiet_ms = 600'000, size_t lines_max = 16)
      : clock_(clock), say_(std::move(say)), quiet_ms_(quiet_ms), lines_max_(lines_max) {}

  void add(const std::string& line);
  std::vector<TroubleLine> lines() const;  // the newest first

 private:
  struct Line {
    TroubleLine told;
    int64_t said_ms = 0;
  };

  const base::WallClock& clock_;
  Say say_;
  const int64_t quiet_ms_;
  const size_t lines_max_;
  std::list<Line> lines_;  // by when they came last, the newest first
};

}  // namespace quadrille::replica
