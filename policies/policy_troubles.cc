#include "policies/policy_troubles.h"

#include <algorithm>

#include "policies/policy_failure.h"

namespace quadrille::policies {

void PolicyTroubleBook::add(std::string_view policy) {
  const std::lock_guard lock(mutex_);
  of(policy);
}

void PolicyTroubleBook::on_failure(std::string_view policy, std::string_view why) {
  const int64_t now_ms = clock_.now_ms();
  const std::lock_guard lock(mutex_);
  PolicyTroubles& troubles = of(policy);
  ++troubles.failures;
  troubles.last_failure_ms = now_ms;
  troubles.last_failure = one_line(why);
}

void PolicyTroubleBook::on_overrun(std::string_view policy, int64_t took_ms) {
  const int64_t now_ms = clock_.now_ms();
  const std::lock_guard lock(mutex_);
  PolicyTroubles& troubles = of(policy);
  ++troubles.overruns;
  troubles.last_overrun_ms = now_ms;
  troubles.longest_ms = std::max(troubles.longest_ms, took_ms);
}

std::vector<PolicyTroubles> PolicyTroubleBook::troubles() const {
  const std::lock_guard lock(mutex_);
  std::vector<PolicyTroubles> all;
  for (const auto& [name, troubles] : troubles_) all.push_back(troubles);
  return all;
}

PolicyTroubles& PolicyTroubleBook::of(std::string_view policy) {
  const auto found = troubles_.find(policy);
  if (found != troubles_.end()) return found->second;
  PolicyTroubles& made = troubles_[std::string(policy)];
  made.policy = policy;
  return made;
}

}  // namespace quadrille::policies
