#include "sim/progress_checks.h"

#include <fmt/format.h>

#include "sim/checks/story.h"

namespace quadrille::sim {

std::optional<checks::Violation> ProgressChecks::look_at(const SimulatedSite& site) {
  const auto snapshot = site.store().snapshot();
  auto& seen = seen_[site.name()];
  seen.id = site.id();
  const auto vector = snapshot->version_vector();
  if (!vector.covers(seen.vector)) {
    return checks::Violation{"never back", fmt::format("  {} had {} and has {}", site.name(),
                                                       log::to_string(seen.vector), log::to_string(vector))};
  }
  const uint64_t last = snapshot->last_position();
  if (last < seen.position) {
    return checks::Violation{
        "never back", fmt::format("  the log of {} had {} entries and has {}", site.name(), seen.position, last)};
  }
  while (seen.position < last) {
    if (auto violation = enter(site, *snapshot, seen.position + 1, seen)) return violation;
    ++seen.position;
  }
  if (seen.vector != vector) {
    return checks::Violation{"causal order", fmt::format("  {} says that it has {}, and its log holds {}", site.name(),
                                                         log::to_string(vector), log::to_string(seen.vector))};
  }
  return check_folded(site, *snapshot, seen);
}

void ProgressChecks::begin_life(const SimulatedSite& site, const log::VersionVector& has, uint64_t position) {
  seen_[site.name()] = {has, position, site.id(), {}};
}

// What has folded is known to be at every member; so it must be there. A site that was let in gets what others had
// folded until then before the changeset that lets it in: it is looked at once it has that.
std::optional<checks::Violation> ProgressChecks::check_folded(const SimulatedSite& site,
                                                              const reconcile::SiteSnapshot& snapshot,
                                                              Seen& seen) const {
  const auto folded = snapshot.folded_vector();
  if (folded == seen.folded) return std::nullopt;
  seen.folded = folded;
  const auto membership = site.store().membership();
  for (const auto& [name, other] : seen_) {
    if (!membership.is_member(other.id)) continue;
    const auto joined_by = membership.joined_by(other.id);
    if (joined_by && !other.vector.covers(joined_by->origin, joined_by->seq)) continue;
    if (other.vector.covers(folded)) continue;
    return checks::Violation{"never early", fmt::format("  {} has folded {}, and {} has only {}", site.name(),
                                                        log::to_string(folded), name, log::to_string(other.vector))};
  }
  return std::nullopt;
}

std::optional<checks::Violation> ProgressChecks::enter(const SimulatedSite& site,
                                                       const reconcile::SiteSnapshot& snapshot, uint64_t position,
                                                       Seen& seen) {
  const auto header = snapshot.header_at(position);
  if (!header.ok())
    return checks::Violation{"causal order", fmt::format("  {}: {}", site.name(), header.error().message)};
  const auto& id = header->id;
  if (id.seq != seen.vector.at(id.origin) + 1 || !seen.vector.covers(header->dependencies)) {
    return checks::Violation{
        "causal order", fmt::format("  {} entered at {}, depends on {}, and found {} there", checks::text_of(id),
                                    site.name(), log::to_string(header->dependencies), log::to_string(seen.vector))};
  }
  seen.vector.raise(id.origin, id.seq);
  if (id.origin != site.id()) return std::nullopt;
  trace_.event(site.name(), fmt::format("committed {}, stamp {}, {} operations", checks::text_of(id),
                                        log::to_string(header->stamp), header->operation_count));
  const auto recorded = history_.record(snapshot, position, time_.now_us());
  if (!recorded.ok()) return checks::Violation{"log", fmt::format("  {}: {}", site.name(), recorded.error().message)};
  return std::nullopt;
}

}  // namespace quadrille::sim
