// From a history that breaks a law to the smallest one that still does: fewer events, fewer sites, plainer values.
// After Hughes, "QuickCheck Testing for Fun and Profit", 2007: try simpler ones, take the first that still fails,
// again.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "policies/check/history.h"

namespace quadrille::policies::check {

// All histories that are one step simpler, the boldest steps first.
std::vector<History> simpler_than(const History& history);

// The place of the first that still breaks the law.
using FindBroken = std::function<std::optional<size_t>(std::span<const History>)>;

// Shows `find_broken` up to `at_once` histories, at most `calls_max` times.
History shrink(History history, const FindBroken& find_broken, size_t at_once, size_t calls_max);

}  // namespace quadrille::policies::check
