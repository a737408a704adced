// Checks a policy: plays generated histories, looks for laws that it breaks, finds the most probable cause of each by
// experiment, and shrinks the history that shows it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/task_runner.h"
#include "policies/check/coverage.h"
#include "policies/check/history_generator.h"
#include "policies/check/imported_symbols.h"
#include "policies/check/laws.h"
#include "policies/check/questions.h"
#include "policies/check/watcher.h"

namespace quadrille::policies::check {

struct CheckOptions {
  std::string property = "http://example.org/value";
  std::string argument;  // of the policy, as in an assignment
  uint64_t cases = 20'000;
  uint64_t seed = 1;
  std::optional<uint64_t> only_case;
};

// What is wrong with a policy.
struct Finding {
  std::string cause;                  // "reads the clock"
  std::string explanation;            // what that means for sites
  std::vector<std::string> evidence;  // lines
  std::vector<Law> laws;              // broken, the one that was looked at first
  uint64_t number = 0;                // of the case that showed it
  History history;                    // the smallest that still shows it
  std::vector<std::string> story;     // lines: the history
  std::vector<std::string> conflict;  // lines: what the policy was shown; may be empty
  std::vector<std::string> computed;  // lines: what each side made of it
  std::string size;                   // "2 sites, 2 writes"
};

struct CheckReport {
  Coverage coverage;
  std::vector<Law> looked_for;
  std::vector<Finding> findings;     // none: all laws hold
  std::vector<std::string> notes;    // what is allowed, but worth knowing
  uint64_t questions_elsewhere = 0;  // asked in other processes
};

struct CheckedPolicy {
  const reconcile::Policy& policy;
  Imports imports;  // of its file, if it has one
};

// `runner`: threads to play histories with. `elsewhere`: null if there are no other processes to ask; what needs them
// is not looked for then. `watcher`, unless null, is told which history a thread plays. Fails where the argument is
// none of the policy's, or where another process cannot be asked. A policy that crashes takes this process with it: see
// bad_end.h.
base::Result<CheckReport> check_policy(const CheckedPolicy& checked, const CheckOptions& options,
                                       base::TaskRunner& runner, const Elsewhere* elsewhere,
                                       Watcher* watcher = nullptr);

}  // namespace quadrille::policies::check
