#include "replica/thread_task_runner.h"

#include <algorithm>

#include "engine/base/check.h"

namespace quadrille::replica {

size_t query_width() noexcept { return std::max(1u, std::thread::hardware_concurrency()); }
size_t load_width() noexcept { return query_width() + 1; }

ThreadTaskRunner::ThreadTaskRunner(size_t width) {
  for (size_t i = 1; i < width; ++i) threads_.emplace_back([this] { work(); });
}

ThreadTaskRunner::~ThreadTaskRunner() {
  {
    const std::lock_guard lock(mutex_);
    QUADRILLE_CHECK(batches_.empty(), "tasks end before their runner");
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadTaskRunner::run(std::span<const std::function<void()>> tasks) {
  if (tasks.empty()) return;
  Batch batch{tasks, 0, 0, std::vector<std::exception_ptr>(tasks.size())};
  std::unique_lock lock(mutex_);
  batches_.push_back(&batch);
  wake_.notify_all();
  while (batch.next < tasks.size()) run_one(lock, batch);
  ended_.wait(lock, [&] { return batch.ended == tasks.size(); });
  for (const std::exception_ptr& failure : batch.failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

void ThreadTaskRunner::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopping_ || !batches_.empty(); });
    if (stopping_) return;
    run_one(lock, *batches_.front());
  }
}

void ThreadTaskRunner::run_one(std::unique_lock<std::mutex>& lock, Batch& batch) {
  const size_t task = batch.next++;
  if (batch.next == batch.tasks.size()) std::erase(batches_, &batch);
  lock.unlock();
  try {
    batch.tasks[task]();
  } catch (...) {
    batch.failures[task] = std::current_exception();
  }
  lock.lock();
  if (++batch.ended == batch.tasks.size()) ended_.notify_all();
}

}  // namespace quadrille::replica
