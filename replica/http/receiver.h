// Who waits for an answer, as the thread that makes the answer sees it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace quadrille::http {

struct Receiver {
  std::mutex mutex;
  std::condition_variable changed;
  size_t bytes_ahead = 0;  // that were sent and have not gone out
  std::atomic<bool> is_gone = false;

  void leave() {
    std::lock_guard lock(mutex);  // else a writer could miss it between its look and its wait
    is_gone = true;
    changed.notify_all();
  }
  void take(size_t bytes) {
    std::lock_guard lock(mutex);
    bytes_ahead -= bytes;
    changed.notify_all();
  }
};

}  // namespace quadrille::http
