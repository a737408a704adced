// A policy that is watched: native code is never cut off by a clock, for sites would differ; but that it takes too
// long, or fails, is told.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "engine/base/clock.h"
#include "policies/policy_troubles.h"
#include "reconcile/assignment.h"
#include "reconcile/policy.h"

namespace quadrille::policies {

// The writer must not be held for longer, whatever it does.
inline constexpr int64_t overrun_ms = 50;

// Who watches. What is referred to must outlive the policies.
struct PolicyWatch {
  const base::SteadyClock& clock;
  PolicyTroubleBook& book;
  // Told once for each call that took too long: "policy 'p' took 70 ms over the cell <s> <p>". From the thread that
  // called the policy.
  std::function<void(const std::string&)> on_overrun;
};

// Answers just as `policy` does. Failures are what resolve() throws, but for want of memory, and answers for a quad or
// a property that are not of the cell; of a record that is not known here.
std::shared_ptr<const reconcile::Policy> watch(std::shared_ptr<const reconcile::Policy> policy, PolicyWatch watching);

// The same policies, of which all but the built-in ones are watched.
reconcile::PolicyRegistry watch_loaded(const reconcile::PolicyRegistry& policies, const PolicyWatch& watching);

}  // namespace quadrille::policies
