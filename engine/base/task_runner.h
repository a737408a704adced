// Threads come in from outside: what can use several cores (a bulk load, a long scan) hands its tasks to one of these.
// With the inline runner, which simulations and tests use, all of it happens on the caller's thread.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace quadrille::base {

class TaskRunner {
 public:
  virtual ~TaskRunner() = default;
  // How many tasks may run at the same time; at least 1.
  virtual size_t width() const = 0;
  // Runs every task once, and returns when all have ended. Up to width() of them run at the same time, the caller's
  // thread among them; they may also run one after another, in any order, so no task may wait for a later one. An
  // exception that a task throws is thrown here when all have ended (the first one in the order given).
  // Callable from any thread; not from within a task of the same runner.
  virtual void run(std::span<const std::function<void()>> tasks) = 0;
};

// Runs tasks one after another, in the order given.
class InlineTaskRunner final : public TaskRunner {
 public:
  size_t width() const override { return 1; }
  void run(std::span<const std::function<void()>> tasks) override {
    for (const auto& task : tasks) task();
  }
};

}  // namespace quadrille::base
