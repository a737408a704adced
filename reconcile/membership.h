// Who belongs to the cluster. DESIGN section 5, "Joining" and "Eviction".
//
// Members come and go by what changesets announce, so each site knows as much of it as has come in there:
//   - A sponsor announces that a site has joined. All who know count it for stability from then on.
//   - A member announces that a site is evicted. Each other one answers, and from its answer on takes of the evicted
//     site only what the changeset of another member depends on. So the answers' dependencies say how far everybody
//     will ever have it.
//   - The evicted site counts for stability until every member that no standing eviction names has answered each of
//     them. Who joined by a changeset that had seen an eviction need not answer it: it began with what its sponsor had.
//   - Evictions are judged in the order of their stamps: one by a site that a standing one evicts, and that has seen
//     that or been concurrent with it, is void.
// Sites are evicted in one of their lives: under another incarnation they may join again, once the eviction is
// complete. Founding members are known by name, until an eviction says which life it means.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "log/changeset.h"

namespace quadrille::reconcile {

enum class MembershipKind : uint8_t { Join = 1, Eviction = 2, Answer = 3 };

// What a changeset announces.
struct MembershipChange {
  MembershipKind kind = MembershipKind::Join;
  log::SiteId site;                         // that joins or is evicted
  std::vector<log::ChangesetId> evictions;  // Answer: to which

  friend bool operator==(const MembershipChange&, const MembershipChange&) = default;
};
std::string encode(const MembershipChange& change);
base::Result<MembershipChange> decode_membership_change(std::string_view bytes);

// A founding member of whom no changeset was known to who evicts it, so that only its name was: any life of that name
// which never joined.
inline bool is_founder_unseen(const log::SiteId& named) { return named.incarnation == 0; }

struct MembershipEvent {
  log::ChangesetId by;
  log::Stamp stamp;
  log::VersionVector dependencies;
  MembershipChange change;
  bool is_complete = false;  // Eviction: as this site once found it
};

struct PendingEviction {
  log::ChangesetId by;
  log::SiteId site;
  std::vector<std::string> waits_for;  // members that have not answered
};

// A value: what follows from the events that are known here.
class Membership {
 public:
  // `founders`: their names.
  Membership(std::vector<std::string> founders, std::vector<MembershipEvent> events);
  Membership(Membership&&) = default;
  Membership& operator=(Membership&&) = default;

  // Whose word counts for stability: sorted names.
  const std::vector<std::string>& names() const noexcept { return names_; }
  // Whether its changesets and heartbeats are taken: a member, in that life, whom nobody has evicted.
  bool is_member(const log::SiteId& site) const;
  // A standing eviction names it.
  bool is_evicted(const log::SiteId& site) const;
  bool has_name(std::string_view name) const;
  bool has_ever_had(std::string_view name) const;  // now, or before it was evicted
  // Standing evictions that this member has yet to answer.
  std::vector<log::ChangesetId> unanswered_by(const log::SiteId& member) const;
  bool has_answered_all(const log::SiteId& member) const { return unanswered_by(member).empty(); }
  std::vector<log::SiteId> evicted() const;  // by standing evictions
  // Of these, by complete ones: what this site lacks of them it will never take. One of which only the name was known
  // is left out once that name has joined again.
  std::vector<log::SiteId> evicted_for_good() const;
  const std::vector<PendingEviction>& pending() const noexcept { return pending_; }
  // Evictions that are complete, and not yet known to be.
  std::vector<log::ChangesetId> newly_complete() const;
  std::vector<log::SiteId> joined() const;  // also those that are evicted
  // The changeset by which a site joined; none for founding members.
  std::optional<log::ChangesetId> joined_by(const log::SiteId& site) const;

 private:
  bool names_life(const MembershipEvent& eviction, const log::SiteId& site) const;
  const MembershipEvent* standing_eviction_of(const log::SiteId& site) const;
  const MembershipEvent* standing_eviction_by_name(std::string_view name) const;
  const MembershipEvent* join_of(const log::SiteId& site) const;
  bool has_answered(std::string_view member, const MembershipEvent& eviction) const;
  void judge();
  void find_names();
  void find_pending();

  std::vector<std::string> founders_;
  std::vector<MembershipEvent> events_;           // by stamp, then origin
  std::vector<const MembershipEvent*> standing_;  // evictions
  std::vector<std::string> names_;
  std::vector<PendingEviction> pending_;
};

}  // namespace quadrille::reconcile
