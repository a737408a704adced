// Threads for tests.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

#include "engine/base/task_runner.h"

namespace quadrille::load::testing {

// Threads that are started for each run.
class StartedThreads final : public base::TaskRunner {
 public:
  explicit StartedThreads(size_t width) : width_(width) {}
  size_t width() const override { return width_; }
  void run(std::span<const std::function<void()>> tasks) override {
    std::atomic<size_t> next{0};
    const auto work = [&] {
      for (size_t task = next++; task < tasks.size(); task = next++) tasks[task]();
    };
    std::vector<std::thread> threads;
    for (size_t i = 1; i < width_; ++i) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
  }

 private:
  size_t width_;
};

}  // namespace quadrille::load::testing
