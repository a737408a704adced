// Counts of HTTP requests, for /metrics. Callable from any thread; counting takes no lock.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

#include "replica/http/message.h"

namespace quadrille::http {

class Metrics {
 public:
  static constexpr std::array operations = {"query", "update", "data_read", "data_write", "other"};
  // Upper bounds of the latencies that are counted together, in microseconds.
  static constexpr std::array<int64_t, 13> bounds_us = {1'000,      2'500,      5'000,      10'000,    25'000,
                                                        50'000,     100'000,    250'000,    1'000'000, 2'500'000,
                                                        10'000'000, 60'000'000, 600'000'000};
  struct Operation {
    // By what became of it: answered, the client's fault (4xx), ours (5xx), broken off.
    std::array<std::atomic<uint64_t>, 4> outcomes{};
    std::array<std::atomic<uint64_t>, bounds_us.size() + 1> buckets{};  // the last: longer
    std::atomic<uint64_t> total_us{0};
  };
  static constexpr std::array outcome_names = {"ok", "client_error", "server_error", "broken_off"};

  void begin() { ++in_progress_; }
  void end(const Exchange::Outcome& outcome, int64_t took_us);
  const Operation& of(size_t operation) const { return operations_[operation]; }
  int64_t in_progress() const { return in_progress_; }

 private:
  std::array<Operation, operations.size()> operations_;
  std::atomic<int64_t> in_progress_{0};
};

}  // namespace quadrille::http
