// When the disk will be full, if a store goes on growing as it did of late: so that an operator learns of it while
// there is time. A member that is away makes the others grow until it comes back or is evicted.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

namespace quadrille::replica {

struct DiskStatus {
  uint64_t store_bytes = 0;
  uint64_t free_bytes = 0;                       // that the site may use
  std::optional<int64_t> growth_bytes_per_hour;  // of the store; nothing: it was not watched for long enough
  std::optional<uint64_t> full_in_s;             // nothing: it does not grow, or nobody knows
};

// Belongs to one thread at a time.
class DiskForecast {
 public:
  // What it looks back on; less than `watched_least_us` says nothing.
  static constexpr int64_t looked_back_us = int64_t{6} * 3600 * 1'000'000;
  static constexpr int64_t watched_least_us = int64_t{10} * 60 * 1'000'000;
  static constexpr int64_t between_samples_us = int64_t{60} * 1'000'000;

  // By the steady clock. What comes sooner than `between_samples_us` after the last one takes its place.
  void note(int64_t now_us, uint64_t store_bytes, uint64_t free_bytes);
  DiskStatus status() const;

 private:
  struct Sample {
    int64_t at_us = 0;
    uint64_t store_bytes = 0;
  };
  std::deque<Sample> samples_;  // and, last, how it is now
  uint64_t free_bytes_ = 0;
};

}  // namespace quadrille::replica
