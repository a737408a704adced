// What a site says of itself.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

#include "log/version_vector.h"
#include "policies/policy_troubles.h"
#include "reconcile/site_store.h"
#include "replica/site/conflict_list.h"
#include "replica/site/disk_forecast.h"
#include "replica/site/site.h"
#include "replica/site/writer_times.h"
#include "sync/sync_node.h"

namespace quadrille::replica {

// Of the store, at a snapshot. Callable from any thread.
struct StoreStatus {
  reconcile::SiteIdentity identity;
  std::vector<std::string> members;
  std::vector<reconcile::PendingEviction> pending_evictions;
  const char* state = "";  // state_of()
  log::ChangesetHash assignment_digest{};
  log::VersionVector version;
  log::VersionVector folded;
  uint64_t quads = 0;
  uint64_t window_cells = 0;
  uint64_t provisional_outcomes = 0;  // SiteSnapshot::provisional_outcome_count
  uint64_t log_entries = 0;
};
// "member", or "joining" or "evicted": then it takes no updates.
const char* state_of(const reconcile::SiteIdentity& identity, const reconcile::Membership& membership);
StoreStatus store_status(const reconcile::SiteStore& store, const reconcile::SiteSnapshot& snapshot);

// Of the connections. On the loop's thread.
struct PeersStatus {
  std::vector<sync::PeerStatus> peers;
  std::vector<std::string> waiting_for;
  std::string least_heard;
  bool is_told_evicted = false;
  sync::ClockStatus clock;
};
PeersStatus peers_status(const Site& site);

// Something that went wrong, in one line.
struct TroubleLine {
  std::string text;
  int64_t last_ms = 0;  // when it came last: milliseconds since 1970
  uint64_t count = 0;
};

// Of the process around the site. On the loop's thread.
struct ProcessStatus {
  std::string certificate_end;       // as "2027-12-01T00:00:00Z"; empty: other sites are reached without TLS
  std::vector<TroubleLine> trouble;  // lately, the newest first
  DiskStatus disk;
};

// How many changesets of `own` somebody who has `has` lacks.
uint64_t lag(const log::VersionVector& own, const log::VersionVector& has);

// As /status and /conflicts show them; docs/policies.md says what a conflict's members mean.
nlohmann::ordered_json to_json(const StoreStatus& store, const PeersStatus& peers);
nlohmann::ordered_json to_json(const WriterTimes& times);
nlohmann::ordered_json to_json(const std::vector<policies::PolicyTroubles>& troubles);
// The members "tls", "disk" and "trouble".
void add_to_json(const ProcessStatus& process, nlohmann::ordered_json& status);
nlohmann::ordered_json to_json(const ListedConflict& conflict);
nlohmann::ordered_json to_json(const std::vector<ListedConflict>& conflicts);
std::string to_hex(const log::ChangesetHash& hash);

}  // namespace quadrille::replica
