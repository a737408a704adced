// Connections that are kept from one request to the next.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "replica/site/allow_list.h"
#include "replica/web/curl_handles.h"

namespace quadrille::web {

// Handles of libcurl, each with the connections that it has left open. What was opened for one reach is used for that
// reach only, or a request that may go to public addresses would find an open connection into a private network.
// Callable from any thread.
class Connections {
 public:
  // A handle as new but for its connections; null: libcurl does not start.
  Easy take(replica::Reach reach) {
    std::lock_guard lock(mutex_);
    auto& kept = kept_[reach];
    if (kept.empty()) return Easy(curl_easy_init());
    Easy handle = std::move(kept.back());
    kept.pop_back();
    return handle;
  }
  void give_back(replica::Reach reach, Easy handle) {
    curl_easy_reset(handle.get());
    std::lock_guard lock(mutex_);
    auto& kept = kept_[reach];
    if (kept.size() < kept_max) kept.push_back(std::move(handle));
  }

 private:
  static constexpr size_t kept_max = 8;
  std::mutex mutex_;
  std::map<replica::Reach, std::vector<Easy>> kept_;
};

}  // namespace quadrille::web
