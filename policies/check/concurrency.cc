#include "policies/check/concurrency.h"

#include <algorithm>
#include <tuple>

namespace quadrille::policies::check {

std::vector<uint8_t> in_order(const std::vector<PlayedVersion>& versions, uint64_t set) {
  std::vector<uint8_t> order;
  for (; set != 0; set &= set - 1) order.push_back(static_cast<uint8_t>(std::countr_zero(set)));
  std::sort(order.begin(), order.end(), [&](uint8_t left, uint8_t right) {
    const reconcile::Version& one = versions[left].version;
    const reconcile::Version& other = versions[right].version;
    return std::tie(one.stamp, one.id.origin) < std::tie(other.stamp, other.id.origin);
  });
  return order;
}

// Grows each component from one version, by what is concurrent with any of it.
std::vector<uint64_t> components_of(const std::vector<PlayedVersion>& versions, uint64_t set) {
  std::vector<uint64_t> components;
  for (const uint8_t first : in_order(versions, set)) {
    if (!contains(set, first)) continue;
    uint64_t component = bit(first);
    set &= ~component;
    for (uint64_t fresh = component; fresh != 0;) {
      const auto one = static_cast<size_t>(std::countr_zero(fresh));
      fresh &= fresh - 1;
      for (uint64_t rest = set; rest != 0; rest &= rest - 1) {
        const auto other = static_cast<size_t>(std::countr_zero(rest));
        if (contains(versions[one].seen, other) || contains(versions[other].seen, one)) continue;
        component |= bit(other);
        fresh |= bit(other);
        set &= ~bit(other);
      }
    }
    components.push_back(component);
  }
  return components;
}

uint64_t maximal_of(const std::vector<PlayedVersion>& versions, uint64_t set) {
  uint64_t seen = 0;
  for (uint64_t rest = set; rest != 0; rest &= rest - 1)
    seen |= versions[static_cast<size_t>(std::countr_zero(rest))].seen;
  return set & ~seen;
}

}  // namespace quadrille::policies::check
