#include "reconcile/stability.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace quadrille::reconcile {
namespace {

// Of each member. Heartbeats come every second or slower, so this many wait only behind a long transfer.
constexpr size_t heartbeats_waiting_max = 16;

}  // namespace

Stability::Stability(log::SiteId self, std::set<std::string> members)
    : self_(std::move(self)), members_(std::move(members)) {}

void Stability::on_changeset(const log::ChangesetHeader& header) {
  entered_.raise(header.id.origin, header.id.seq);
  log::VersionVector& known = known_[header.id.origin.name];
  known.merge(header.dependencies);
  known.raise(header.id.origin, header.id.seq);
  raise_heard(header.id.origin.name, header.stamp);
  take_waiting(entered_);
}

void Stability::on_heartbeat(const Heartbeat& heartbeat, const log::VersionVector& own) {
  std::vector<Heartbeat>& waiting = not_yet_[heartbeat.site.name];
  // The oldest ones will count first: they stay. The newest says most: it takes the place of the one before it.
  if (waiting.size() == heartbeats_waiting_max) waiting.pop_back();
  waiting.push_back(heartbeat);
  take_waiting(own);
}

void Stability::take_waiting(const log::VersionVector& own) {
  for (auto& [member, waiting] : not_yet_) {
    std::erase_if(waiting, [&, this](const Heartbeat& heartbeat) {
      if (!own.covers(heartbeat.vector)) return false;
      known_[member].merge(heartbeat.vector);
      raise_heard(member, heartbeat.stamp);
      return true;
    });
  }
}

log::VersionVector Stability::stable(const log::VersionVector& own) const {
  log::VersionVector result = own;
  for (const std::string& member : members_) {
    if (member == self_.name) continue;
    const auto known = known_.find(member);
    if (known == known_.end()) return {};
    result.intersect(known->second);
  }
  return result;
}

void Stability::raise_heard(const std::string& member, const log::Stamp& stamp) {
  log::Stamp& heard = heard_[member];
  heard = std::max(heard, stamp);
}

log::Stamp Stability::settled() const {
  const std::string least = least_heard();
  if (least.empty()) return {std::numeric_limits<int64_t>::max(), std::numeric_limits<uint32_t>::max()};
  const auto heard = heard_.find(least);
  return heard == heard_.end() ? log::Stamp() : heard->second;
}

std::string Stability::least_heard() const {
  std::string least;
  std::optional<log::Stamp> its;
  for (const std::string& member : members_) {
    if (member == self_.name) continue;
    const auto heard = heard_.find(member);
    const log::Stamp stamp = heard == heard_.end() ? log::Stamp() : heard->second;
    if (its && stamp >= *its) continue;
    least = member;
    its = stamp;
  }
  return least;
}

std::vector<std::string> Stability::waiting_for(const log::VersionVector& own) const {
  std::vector<std::string> late;
  for (const std::string& member : members_) {
    if (member == self_.name) continue;
    const auto known = known_.find(member);
    if (known == known_.end() || !known->second.covers(own)) late.push_back(member);
  }
  return late;
}

}  // namespace quadrille::reconcile
