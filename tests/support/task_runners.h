// Ways to run tasks that show what depends on the order of threads.
#pragma once

#include <exception>
#include <thread>
#include <vector>

#include "engine/base/task_runner.h"
#include "tests/support/seeded_random.h"

namespace quadrille::test {

// On the caller's thread, in an order that a seed decides.
class ShuffledTaskRunner final : public base::TaskRunner {
 public:
  ShuffledTaskRunner(size_t width, uint64_t seed) : width_(width), random_(seed) {}
  size_t width() const override { return width_; }
  void run(std::span<const std::function<void()>> tasks) override {
    std::vector<const std::function<void()>*> left;
    for (const auto& task : tasks) left.push_back(&task);
    for (; !left.empty(); ++runs) {
      const auto next = left.begin() + static_cast<std::ptrdiff_t>(random_.below(left.size()));
      const auto* task = *next;
      left.erase(next);
      (*task)();
    }
  }
  size_t runs = 0;  // tasks run so far

 private:
  size_t width_;
  SeededRandom random_;
};

// Each task on a thread of its own.
class ThreadPerTask final : public base::TaskRunner {
 public:
  explicit ThreadPerTask(size_t width) : width_(width) {}
  size_t width() const override { return width_; }
  void run(std::span<const std::function<void()>> tasks) override {
    std::vector<std::exception_ptr> failures(tasks.size());
    std::vector<std::thread> threads;
    for (size_t i = 0; i < tasks.size(); ++i) {
      threads.emplace_back([&, i] {
        try {
          tasks[i]();
        } catch (...) {
          failures[i] = std::current_exception();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    ++rounds;
    for (const auto& failure : failures) {
      if (failure) std::rethrow_exception(failure);
    }
  }
  size_t rounds = 0;

 private:
  size_t width_;
};

}  // namespace quadrille::test
