// Whether what a policy declares of versions that may leave a component is true. Part of laws.h.
#pragma once

#include "policies/check/laws.h"

namespace quadrille::policies::check {

// Takes the versions that are not maximal away, and alters them.
std::optional<Broken> find_look_at_the_rest(const Played& played, const reconcile::Policy& policy,
                                            const ValuePool& pool);
// Takes away what may_leave() lets go: from the conflict, and from those that it grew into.
std::optional<Broken> find_wrong_leave(const Played& played, const reconcile::Policy& policy);

}  // namespace quadrille::policies::check
