// A policy that is watched: native code is never cut off by a clock, for sites would differ; but that it takes too long
// is told.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "engine/base/clock.h"
#include "reconcile/assignment.h"
#include "reconcile/policy.h"

namespace quadrille::policies {

// The writer must not be held for longer, whatever it does.
inline constexpr int64_t overrun_ms = 50;

// Told once for each call that took that long: "policy 'p' took 70 ms over the cell <s> <p>". From the thread that
// called the policy.
using OnOverrun = std::function<void(const std::string&)>;

// Answers just as `policy` does. The clock must outlive it.
std::shared_ptr<const reconcile::Policy> watch(std::shared_ptr<const reconcile::Policy> policy,
                                               const base::SteadyClock& clock, OnOverrun on_overrun);

// The same policies, of which all but the built-in ones are watched.
reconcile::PolicyRegistry watch_loaded(const reconcile::PolicyRegistry& policies, const base::SteadyClock& clock,
                                       const OnOverrun& on_overrun);

}  // namespace quadrille::policies
