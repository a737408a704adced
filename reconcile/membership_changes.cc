#include "reconcile/membership_changes.h"

#include <fmt/format.h>

#include <algorithm>

namespace quadrille::reconcile {
namespace {

base::Error refused(std::string message) { return {base::ErrorKind::Refused, std::move(message), {}}; }

void reload(Writing& writing) {
  writing.memory.membership = {writing.memory.identity.members,
                               read_membership(writing.quads.tables(), writing.tables.members)};
  writing.memory.has_new_members = true;
}

}  // namespace

void take_membership(Writing& writing, const log::ChangesetHeader& header, MembershipChange change) {
  put_membership(writing.quads.tables(), writing.tables.members,
                 {header.id, header.stamp, header.dependencies, std::move(change), false});
  reload(writing);
}

void note_complete_evictions(Writing& writing) {
  const auto complete = writing.memory.membership.newly_complete();
  if (complete.empty()) return;
  for (MembershipEvent& event : read_membership(writing.quads.tables(), writing.tables.members)) {
    if (std::find(complete.begin(), complete.end(), event.by) == complete.end()) continue;
    event.is_complete = true;
    put_membership(writing.quads.tables(), writing.tables.members, event);
  }
  reload(writing);
}

base::Result<void> check_may_write(const Writing& writing) {
  const log::SiteId& self = writing.memory.identity.site;
  const bool is_told_evicted = writing.memory.is_told_evicted;
  if (writing.memory.is_member() && !is_told_evicted) {
    const std::string& refusal = writing.memory.clock_refusal;
    if (refusal.empty()) return {};
    return base::Error{base::ErrorKind::Unavailable, refusal, {}};
  }
  const bool is_evicted = is_told_evicted || writing.memory.membership.is_evicted(self);
  return base::Error{base::ErrorKind::Unavailable,
                     is_evicted ? fmt::format("site {} was evicted: it takes no updates; make it anew with "
                                              "`quadrille init --from`",
                                              to_string(self))
                                : fmt::format("site {} is still joining: it takes updates once it has what its sponsor "
                                              "had when it joined",
                                              to_string(self)),
                     {}};
}

base::Result<void> check_join(const Membership& membership, const log::SiteId& sponsor, const log::SiteId& site) {
  QUADRILLE_TRY(log::check_site_name(site.name));
  if (membership.is_member(site) && membership.joined_by(site)) {
    return refused(fmt::format("site {} has joined already", to_string(site)));
  }
  if (membership.has_name(site.name)) {
    return refused(
        fmt::format("there is a member '{}'; expected another name, or that it is evicted first", site.name));
  }
  if (membership.is_evicted(site)) return refused(fmt::format("site {} was evicted", to_string(site)));
  if (!membership.has_answered_all(sponsor)) return refused("an eviction is to be answered first; try again");
  return {};
}

base::Result<void> check_copy(const Writing& writing, const log::VersionVector& has) {
  for (const auto& [origin, seq] : has.entries()) {
    const auto number = writing.state.find(origin);
    if (number && writing.state.origins[*number].seq >= seq) continue;
    return refused(
        fmt::format("the copy has changeset {} of {}, which this site lacks: ask the site of which it is a "
                    "copy, or wait until this one has it too",
                    seq, to_string(origin)));
  }
  for (const log::OriginState& origin : writing.state.origins) {
    if (has.at(origin.site) >= origin.trimmed_seq) continue;
    return refused(
        fmt::format("the copy is too old: the log has let go of changeset {} of {}, which it lacks; make "
                    "another one",
                    has.at(origin.site) + 1, to_string(origin.site)));
  }
  return {};
}

base::Result<log::SiteId> find_life_to_evict(const Writing& writing, const std::string& name) {
  const Membership& membership = writing.memory.membership;
  if (name == writing.memory.identity.site.name) return refused("a site cannot evict itself; ask another member");
  // The newest life of it that wrote something; of one that never did, only the name is known.
  log::SiteId found{name, 0};
  for (const log::OriginState& origin : writing.state.origins) {
    if (origin.site.name == name && membership.is_member(origin.site)) found = origin.site;
  }
  for (const log::SiteId& joined : membership.joined()) {
    if (joined.name == name && membership.is_member(joined)) found = joined;
  }
  if (!membership.is_member(found)) {
    return refused(fmt::format("there is no member '{}'; there are {}", name, fmt::join(membership.names(), ", ")));
  }
  return found;
}

}  // namespace quadrille::reconcile
