// What two sites tell each other first, and whether they fit. Rules at Greeting in sync.capnp.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "log/changeset.h"
#include "sync/protocol.h"
#include "sync/wire.h"

namespace quadrille::sync {

struct Greeting {
  uint16_t version_min = protocol_version_min;
  uint16_t version_max = protocol_version_max;
  std::string cluster;
  std::vector<std::string> founders;  // sorted
  std::vector<std::string> members;   // sorted: those of now, as far as is known, this one included
  log::SiteId site;
  uint64_t nonce = 0;
  uint16_t format = changeset_format;
  std::map<log::AssignmentNumber, log::ChangesetHash> assignments;  // digests of those that still count
  log::VersionVector vector;
  std::set<log::SiteId> direct;
  std::set<log::SiteId> evicted;           // as far as is known
  std::set<log::SiteId> evicted_for_good;  // of these; reconcile::Membership
  bool is_founder = true;                  // it has not joined: no other life of that name is meant by its name alone
};

void write_greeting(const Greeting& greeting, wire::Greeting::Builder to);
base::Result<Greeting> read_greeting(wire::Greeting::Reader from);

// They are of one cluster, and the other one, which is not evicted itself as far as is known here, says that this site
// was.
bool says_evicted(const Greeting& own, const Greeting& theirs);
// Why the two may not talk, in one line that reads the same on both sides; nothing if they may.
std::optional<std::string> find_refusal(const Greeting& own, const Greeting& theirs);

}  // namespace quadrille::sync
