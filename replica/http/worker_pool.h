// Threads that do what takes time: queries, dumps, parsing of what was sent. What waits is bounded, so that a flood is
// refused early instead of filling memory.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace quadrille::http {

class WorkerPool {
 public:
  WorkerPool(size_t threads, size_t waiting_max);
  ~WorkerPool();  // lets running tasks end, drops those that wait
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // False, and nothing done, if too many wait or the pool is ending. Callable from any thread.
  bool submit(std::function<void()> task);

 private:
  void run();

  const size_t waiting_max_;
  std::mutex mutex_;  // of what follows
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace quadrille::http
