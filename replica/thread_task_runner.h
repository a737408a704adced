// Tasks on the machine's cores: threads that wait for work, and the caller's own.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/base/task_runner.h"

namespace quadrille::replica {

// The width for bulk loads: one more than there are cores, as one thread waits for the disk now and then.
size_t load_width() noexcept;
// For queries: as many threads as there are cores.
size_t query_width() noexcept;

class ThreadTaskRunner final : public base::TaskRunner {
 public:
  explicit ThreadTaskRunner(size_t width);  // the caller's thread is one of them: width - 1 are started
  ~ThreadTaskRunner() override;             // no run() may be going on
  ThreadTaskRunner(const ThreadTaskRunner&) = delete;
  ThreadTaskRunner& operator=(const ThreadTaskRunner&) = delete;

  size_t width() const override { return threads_.size() + 1; }
  void run(std::span<const std::function<void()>> tasks) override;

 private:
  struct Batch {
    std::span<const std::function<void()>> tasks;
    size_t next = 0;
    size_t ended = 0;
    std::vector<std::exception_ptr> failures;  // by task
  };

  void work();
  // Takes one task of `batch`, which has one left, and runs it without the lock.
  void run_one(std::unique_lock<std::mutex>& lock, Batch& batch);

  std::mutex mutex_;  // of what follows, and of the batches
  std::condition_variable wake_, ended_;
  std::deque<Batch*> batches_;  // those that have tasks left to take
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace quadrille::replica
