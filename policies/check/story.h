// A history as a story: who wrote what, having seen what, and what each side made of it.
#pragma once

#include <string>
#include <vector>

#include "policies/check/simulated_sites.h"

namespace quadrille::policies::check {

// Lines, each an event; those that did nothing are left out.
std::vector<std::string> tell_events(const History& history, const Played& played, const ValuePool& pool);
// Lines: the base, and each version of a conflict.
std::vector<std::string> tell_conflict(const reconcile::Conflict& conflict);
// "2 sites, 3 writes".
std::string tell_size(const History& history, const Played& played);

}  // namespace quadrille::policies::check
