#include "sync/held_back.h"

#include <algorithm>

namespace quadrille::sync {

bool HeldBack::has(const log::SiteId& origin, uint64_t seq) const {
  const auto entry = entries_.find(origin);
  return entry != entries_.end() && seq >= entry->second.seq;
}

// Stamps agree with causality, so what depends on something that is held back is stamped later still. Whoever breaks
// that rule is not to make this site ask again before its time.
std::optional<int64_t> HeldBack::until(const log::ChangesetHeader& header, int64_t reach_ms) const {
  std::optional<int64_t> until;
  if (header.stamp.physical_ms > reach_ms) until = header.stamp.physical_ms;
  for (const auto& [origin, entry] : entries_) {
    const bool is_later = origin == header.id.origin && header.id.seq >= entry.seq;
    if (is_later || header.dependencies.covers(origin, entry.seq)) {
      until = std::max({entry.until_ms, header.stamp.physical_ms, until.value_or(entry.until_ms)});
    }
  }
  return until;
}

bool HeldBack::holds(const log::ChangesetHeader& header, int64_t reach_ms) {
  const auto until_ms = until(header, reach_ms);
  if (!until_ms) return false;
  const auto [entry, is_new] = entries_.try_emplace(header.id.origin, Entry{header.id.seq, *until_ms});
  if (!is_new && header.id.seq < entry->second.seq) entry->second = {header.id.seq, *until_ms};
  return true;
}

bool HeldBack::release(int64_t reach_ms) {
  return std::erase_if(entries_, [&](const auto& entry) { return entry.second.until_ms <= reach_ms; }) > 0;
}

log::VersionVector HeldBack::first() const {
  log::VersionVector first;
  for (const auto& [origin, entry] : entries_) first.raise(origin, entry.seq);
  return first;
}

}  // namespace quadrille::sync
