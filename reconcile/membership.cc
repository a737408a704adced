#include "reconcile/membership.h"

#include <algorithm>
#include <tuple>

#include "log/bytes.h"
#include "log/field_codec.h"

namespace quadrille::reconcile {
namespace {

constexpr size_t evictions_answered_max = 1'000;

bool has_seen(const MembershipEvent& later, const log::ChangesetId& earlier) {
  return later.dependencies.covers(earlier.origin, earlier.seq);
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string encode(const MembershipChange& change) {
  std::string bytes;
  log::ByteWriter writer(bytes);
  writer.byte(static_cast<uint8_t>(change.kind));
  if (change.kind != MembershipKind::Answer) {
    log::write_site(writer, change.site);
    return bytes;
  }
  writer.varint(change.evictions.size());
  for (const log::ChangesetId& eviction : change.evictions) {
    log::write_site(writer, eviction.origin);
    writer.varint(eviction.seq);
  }
  return bytes;
}

base::Result<MembershipChange> decode_membership_change(std::string_view bytes) {
  log::ByteReader reader(bytes);
  MembershipChange change;
  const uint8_t kind = reader.byte();
  if (kind < 1 || kind > 3) reader.fail();
  change.kind = static_cast<MembershipKind>(kind);
  if (change.kind != MembershipKind::Answer) {
    change.site = log::read_site(reader);
  } else {
    const uint64_t count = reader.count(10);
    if (count > evictions_answered_max) reader.fail();
    for (uint64_t left = count; left > 0 && reader.ok(); --left) {
      log::ChangesetId& eviction = change.evictions.emplace_back();
      eviction.origin = log::read_site(reader);
      eviction.seq = reader.varint();
    }
  }
  const bool is_whole = reader.ok() && reader.at_end();
  const bool names_a_site = change.kind == MembershipKind::Answer || log::check_site_name(change.site.name).ok();
  if (!is_whole || !names_a_site) {
    return base::Error{
        base::ErrorKind::InvalidInput, "the bytes of a change of membership are cut off or malformed", {}};
  }
  return change;
}

Membership::Membership(std::vector<std::string> founders, std::vector<MembershipEvent> events)
    : founders_(std::move(founders)), events_(std::move(events)) {
  std::sort(events_.begin(), events_.end(), [](const MembershipEvent& left, const MembershipEvent& right) {
    return std::tie(left.stamp, left.by) < std::tie(right.stamp, right.by);
  });
  judge();
  find_names();
  find_pending();
}

void Membership::judge() {
  for (const MembershipEvent& event : events_) {
    if (event.change.kind != MembershipKind::Eviction) continue;
    // A standing one that its author had seen, or that is concurrent with it: all but those that had seen it.
    const bool is_void = std::any_of(standing_.begin(), standing_.end(), [&](const MembershipEvent* other) {
      return names_life(*other, event.by.origin) && !has_seen(*other, event.by);
    });
    if (!is_void) standing_.push_back(&event);
  }
}

bool Membership::names_life(const MembershipEvent& eviction, const log::SiteId& site) const {
  const log::SiteId& named = eviction.change.site;
  return named == site || (is_founder_unseen(named) && named.name == site.name && !join_of(site));
}

const MembershipEvent* Membership::standing_eviction_of(const log::SiteId& site) const {
  const auto found = std::find_if(standing_.begin(), standing_.end(),
                                  [&](const MembershipEvent* one) { return names_life(*one, site); });
  return found == standing_.end() ? nullptr : *found;
}

const MembershipEvent* Membership::join_of(const log::SiteId& site) const {
  const auto found = std::find_if(events_.begin(), events_.end(), [&](const MembershipEvent& one) {
    return one.change.kind == MembershipKind::Join && one.change.site == site;
  });
  return found == events_.end() ? nullptr : &*found;
}

// Of a founding member: the first eviction that names a life of it which never joined.
const MembershipEvent* Membership::standing_eviction_by_name(std::string_view name) const {
  const auto found = std::find_if(standing_.begin(), standing_.end(), [&](const MembershipEvent* one) {
    return one->change.site.name == name && !join_of(one->change.site);
  });
  return found == standing_.end() ? nullptr : *found;
}

void Membership::find_names() {
  const auto add = [&](const std::string& name, const MembershipEvent* eviction) {
    if (!eviction || !eviction->is_complete) names_.push_back(name);
  };
  for (const std::string& name : founders_) add(name, standing_eviction_by_name(name));
  for (const MembershipEvent& event : events_) {
    if (event.change.kind != MembershipKind::Join) continue;
    add(event.change.site.name, standing_eviction_of(event.change.site));
  }
  std::sort(names_.begin(), names_.end());
  names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
}

bool Membership::has_answered(std::string_view member, const MembershipEvent& eviction) const {
  if (eviction.by.origin.name == member) return true;
  return std::any_of(events_.begin(), events_.end(), [&](const MembershipEvent& event) {
    if (event.change.kind == MembershipKind::Join) {
      return event.change.site.name == member && has_seen(event, eviction.by);
    }
    if (event.change.kind != MembershipKind::Answer || event.by.origin.name != member) return false;
    const auto& answered = event.change.evictions;
    return std::find(answered.begin(), answered.end(), eviction.by) != answered.end();
  });
}

void Membership::find_pending() {
  std::vector<std::string> named;
  for (const MembershipEvent* eviction : standing_) {
    if (!eviction->is_complete) named.push_back(eviction->change.site.name);
  }
  for (const MembershipEvent* eviction : standing_) {
    if (eviction->is_complete) continue;
    PendingEviction& pending = pending_.emplace_back(PendingEviction{eviction->by, eviction->change.site, {}});
    for (const std::string& member : names_) {
      if (!contains(named, member) && !has_answered(member, *eviction)) pending.waits_for.push_back(member);
    }
  }
}

std::vector<log::ChangesetId> Membership::newly_complete() const {
  // All of them together: one that is still waited for may say how far another evicted site was seen.
  const bool is_any_open =
      std::any_of(pending_.begin(), pending_.end(), [](const PendingEviction& one) { return !one.waits_for.empty(); });
  if (is_any_open) return {};
  std::vector<log::ChangesetId> complete;
  for (const PendingEviction& one : pending_) complete.push_back(one.by);
  return complete;
}

bool Membership::has_name(std::string_view name) const { return contains(names_, name); }

bool Membership::has_ever_had(std::string_view name) const {
  if (contains(founders_, name)) return true;
  return std::any_of(events_.begin(), events_.end(), [&](const MembershipEvent& event) {
    return event.change.kind == MembershipKind::Join && event.change.site.name == name;
  });
}

bool Membership::is_evicted(const log::SiteId& site) const { return standing_eviction_of(site) != nullptr; }

bool Membership::is_member(const log::SiteId& site) const {
  if (is_evicted(site)) return false;
  if (join_of(site)) return true;
  return contains(founders_, site.name) && !standing_eviction_by_name(site.name);
}

std::vector<log::ChangesetId> Membership::unanswered_by(const log::SiteId& member) const {
  std::vector<log::ChangesetId> unanswered;
  for (const PendingEviction& one : pending_) {
    if (contains(one.waits_for, member.name)) unanswered.push_back(one.by);
  }
  return unanswered;
}

std::vector<log::SiteId> Membership::evicted() const {
  std::vector<log::SiteId> sites;
  for (const MembershipEvent* one : standing_) sites.push_back(one->change.site);
  return sites;
}

std::vector<log::SiteId> Membership::evicted_for_good() const {
  std::vector<log::SiteId> sites;
  for (const MembershipEvent* one : standing_) {
    const log::SiteId& site = one->change.site;
    const bool is_there_again =
        is_founder_unseen(site) && std::any_of(events_.begin(), events_.end(), [&](const MembershipEvent& event) {
          return event.change.kind == MembershipKind::Join && event.change.site.name == site.name;
        });
    if (one->is_complete && !is_there_again) sites.push_back(site);
  }
  return sites;
}

std::vector<log::SiteId> Membership::joined() const {
  std::vector<log::SiteId> sites;
  for (const MembershipEvent& event : events_) {
    if (event.change.kind == MembershipKind::Join) sites.push_back(event.change.site);
  }
  return sites;
}

std::optional<log::ChangesetId> Membership::joined_by(const log::SiteId& site) const {
  const MembershipEvent* event = join_of(site);
  return event ? std::optional(event->by) : std::nullopt;
}

}  // namespace quadrille::reconcile
