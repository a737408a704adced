// Concurrency components: which versions of a cell must be decided together. DESIGN section 4, "The state of a cell".
//
// Two versions are concurrent when neither had seen the other. Components are the versions connected by "concurrent";
// each version of a later component has seen every version of an earlier one.
//
// Found without comparing all pairs: (stamp, origin) is a total order that agrees with causality, so in that order
// components lie side by side. Between two neighbours there is a boundary just if each version after it has seen each
// before it: if, for each origin, the largest seq before it is at most the least that a version after it has seen.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "log/history_window.h"
#include "log/log_state.h"
#include "log/stamp.h"

namespace quadrille::reconcile {

// What the search needs of a version. Views: what they point at must outlive the call.
struct VersionPlace {
  log::OriginNumber origin = 0;
  uint64_t seq = 0;
  log::Stamp stamp;
  const log::SiteId* site = nullptr;
  const log::SeenVector* seen = nullptr;

  bool has_seen(const VersionPlace& other) const { return seen->covers(other.origin, other.seq); }
};

// Indices into the versions, by (stamp, origin).
using Component = std::vector<size_t>;

// In causal order.
std::vector<Component> find_components(std::span<const VersionPlace> versions);

// A version comes to a cell's components, in causal order, that none of them has seen. What it has not seen either is
// concurrent with it. Where it has not seen all of a component, it has seen nothing of those behind it: from the first
// such component on they all become one, with the version at its end; else the version is a component by itself.
void add_to(std::vector<log::HistoryComponent>& components, log::WindowVersion version, const log::SeenVector& seen);

}  // namespace quadrille::reconcile
