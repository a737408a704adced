#include "reconcile/components.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

namespace quadrille::reconcile {
namespace {

std::vector<size_t> stamp_order(std::span<const VersionPlace> versions) {
  std::vector<size_t> order(versions.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t left, size_t right) {
    return std::tie(versions[left].stamp, *versions[left].site) <
           std::tie(versions[right].stamp, *versions[right].site);
  });
  return order;
}

// The origins that the versions come from; others play no part.
std::vector<log::OriginNumber> origins_of(std::span<const VersionPlace> versions) {
  std::vector<log::OriginNumber> origins;
  for (const VersionPlace& version : versions) origins.push_back(version.origin);
  std::sort(origins.begin(), origins.end());
  origins.erase(std::unique(origins.begin(), origins.end()), origins.end());
  return origins;
}

}  // namespace

std::vector<Component> find_components(std::span<const VersionPlace> versions) {
  if (versions.size() == 1) return {{0}};
  const std::vector<size_t> order = stamp_order(versions);
  std::vector<bool> begins(order.size(), true);  // whether a component begins with order[i]
  for (const log::OriginNumber origin : origins_of(versions)) {
    std::vector<uint64_t> seen_after(order.size() + 1, std::numeric_limits<uint64_t>::max());
    for (size_t i = order.size(); i-- > 0;) {
      seen_after[i] = std::min(seen_after[i + 1], versions[order[i]].seen->at(origin));
    }
    uint64_t largest_before = 0;
    for (size_t i = 0; i < order.size(); ++i) {
      if (largest_before > seen_after[i]) begins[i] = false;
      if (versions[order[i]].origin == origin) largest_before = std::max(largest_before, versions[order[i]].seq);
    }
  }
  std::vector<Component> components;
  for (size_t i = 0; i < order.size(); ++i) {
    if (begins[i]) components.emplace_back();
    components.back().push_back(order[i]);
  }
  return components;
}

void add_to(std::vector<log::HistoryComponent>& components, log::WindowVersion version, const log::SeenVector& seen) {
  const auto first = std::find_if(components.begin(), components.end(),
                                  [&](const log::HistoryComponent& one) { return !one.is_seen_by(seen); });
  if (first == components.end()) {
    components.push_back({{std::move(version)}});
    return;
  }
  for (auto other = std::next(first); other != components.end(); ++other) {
    std::move(other->versions.begin(), other->versions.end(), std::back_inserter(first->versions));
  }
  components.erase(std::next(first), components.end());
  first->versions.push_back(std::move(version));
}

}  // namespace quadrille::reconcile
