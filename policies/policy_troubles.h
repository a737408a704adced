// What went wrong with a site's policies since its process began: for its status.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/clock.h"

namespace quadrille::policies {

// Of one policy; times in ms since 1970, UTC.
struct PolicyTroubles {
  std::string policy;
  uint64_t failures = 0;  // calls that did not decide, so that the site fell back
  int64_t last_failure_ms = 0;
  std::string last_failure;  // why
  uint64_t overruns = 0;     // calls that took too long (watched_policy.h)
  int64_t last_overrun_ms = 0;
  int64_t longest_ms = 0;  // of those
};

// Callable from any thread. The clock must outlive it.
class PolicyTroubleBook {
 public:
  explicit PolicyTroubleBook(const base::WallClock& clock) : clock_(clock) {}

  void add(std::string_view policy);  // so that it is listed, whether or not anything goes wrong
  void on_failure(std::string_view policy, std::string_view why);
  void on_overrun(std::string_view policy, int64_t took_ms);
  std::vector<PolicyTroubles> troubles() const;  // by name

 private:
  PolicyTroubles& of(std::string_view policy);

  const base::WallClock& clock_;
  mutable std::mutex mutex_;
  std::map<std::string, PolicyTroubles, std::less<>> troubles_;
};

}  // namespace quadrille::policies
