// Causal stability: which versions every member is known to have. DESIGN section 4, "Settling".
//
// A version is stable when each member's own in-order messages cover it. Then every changeset that may still come in
// has seen it, so the concurrency components made of stable versions can no longer grow, and may fold.
//
// What a member is known to have only grows, so a late or repeated heartbeat changes nothing. The stable vector is
// causally closed: each known vector is, and so is the smaller of any two.
//
// A stamp is settled when every changeset up to it has come in. A member's changesets and heartbeats have ascending
// stamps, and a heartbeat names each changeset below its own: so a stamp is settled that none of the members' latest
// messages is below. Only policies that read other cells need to know (replay.h).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "log/changeset.h"
#include "log/stamp.h"
#include "log/version_vector.h"

namespace quadrille::reconcile {

// What a member says of itself now and then: what it has. `vector` includes its own changesets.
struct Heartbeat {
  log::SiteId site;
  uint64_t number = 0;  // grows with each heartbeat of that incarnation; tells who forwards them which one is newer
  log::Stamp stamp;
  log::VersionVector vector;
};

// One per site, on one thread. Virtual so that tests can plant rules that are wrong on purpose.
class Stability {
 public:
  // `members`: the names of all members, this site's own included. Nothing is stable before each was heard of.
  Stability(log::SiteId self, std::set<std::string> members);
  virtual ~Stability() = default;

  // Others count from now on. (Who joins counts from the changeset on that says so: tell it here when that is here.)
  virtual void set_members(std::set<std::string> members) { members_ = std::move(members); }

  // Each changeset that entered here, local ones too, in the order in which they did.
  virtual void on_changeset(const log::ChangesetHeader& header);
  // `own`: what this site has. A heartbeat counts only once `own` covers it; until then it is kept
  // (a bounded number a member), and tried again at each on_changeset and on_heartbeat.
  virtual void on_heartbeat(const Heartbeat& heartbeat, const log::VersionVector& own);
  // What is stable, given what this site has.
  virtual log::VersionVector stable(const log::VersionVector& own) const;
  // Every changeset of another member up to this stamp has come in.
  virtual log::Stamp settled() const;
  // The member whose messages reach the least far; empty where there is no other member.
  std::string least_heard() const;
  // Members that hold something up: those not known to have all of `own`.
  std::vector<std::string> waiting_for(const log::VersionVector& own) const;

 protected:
  // Takes the heartbeats whose changesets are all here.
  void take_waiting(const log::VersionVector& own);
  void raise_heard(const std::string& member, const log::Stamp& stamp);

  log::SiteId self_;
  std::set<std::string> members_;
  std::map<std::string, log::VersionVector> known_;        // by member
  std::map<std::string, log::Stamp> heard_;                // by member: of its latest message that counts
  std::map<std::string, std::vector<Heartbeat>> not_yet_;  // by member, oldest first
  log::VersionVector entered_;                             // what on_changeset told of
};

}  // namespace quadrille::reconcile
