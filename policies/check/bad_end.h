// A policy that crashes, or does not come to an end: the smallest history that shows it, found in processes that may
// crash. Part of policy_check.h.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "policies/check/policy_check.h"

namespace quadrille::policies::check {

enum class EndKind : uint8_t { Returned, Crashed, Endless };

// How work in another process ended.
struct Ending {
  EndKind kind = EndKind::Returned;
  std::string how;              // "Segmentation fault": of a crash
  std::string result;           // of work that returned
  uint64_t calls = 0;           // of the policy, that returned
  uint64_t histories = 0;       // that were begun
  std::vector<uint64_t> cases;  // in each of which the policy was being called, or nearly
};

// Does work in another process, which begins as a copy of this one.
class Isolation {
 public:
  virtual ~Isolation() = default;
  using Work = std::function<std::string(Watcher&)>;
  // A call that takes more than `call_ms_max` does not come to an end. `is_quiet`: what the process says on standard
  // error is dropped. Not while this process has other threads.
  virtual base::Result<Ending> run(const Work& work, int64_t call_ms_max, bool is_quiet) const = 0;
};

// The finding for a check that ended badly. Fails where no process can be started.
base::Result<Finding> explain_bad_end(const CheckedPolicy& checked, const CheckOptions& options, const Ending& ending,
                                      const Isolation& isolation, int64_t call_ms_max);

// What can be said without calling the policy again.
Finding name_bad_end(const Ending& ending);

}  // namespace quadrille::policies::check
