#include "replica/site/status.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

#include <nlohmann/json.hpp>
#include <utility>

namespace quadrille::replica {
namespace {

using Json = nlohmann::ordered_json;

const char* name_of(sync::PeerState state) {
  switch (state) {
    case sync::PeerState::Disconnected: return "disconnected";
    case sync::PeerState::Greeting: return "greeting";
    case sync::PeerState::Connected: return "connected";
    case sync::PeerState::Refused: return "refused";
  }
  return "disconnected";
}

const char* name_of(sync::ClockState state) {
  switch (state) {
    case sync::ClockState::Agreed: return "agreed";
    case sync::ClockState::Ahead: return "ahead";
    case sync::ClockState::Behind: return "behind";
  }
  return "agreed";
}

const char* name_of(log::CellKind kind) {
  switch (kind) {
    case log::CellKind::Quad: return "quad";
    case log::CellKind::Value: return "value";
    case log::CellKind::Record: return "record";
  }
  return "quad";
}

Json to_json(const log::VersionVector& vector) {
  Json json = Json::object();
  for (const auto& [site, seq] : vector.entries()) json[log::to_string(site)] = seq;
  return json;
}

Json to_json(const sync::ComparedStatus& compared) {
  Json json{{"is_equal", compared.is_done ? Json(compared.is_equal) : Json(nullptr)}};
  if (compared.is_done) json["seconds_ago"] = compared.seconds_ago;
  if (!compared.graphs.empty()) json["differing_graphs"] = compared.graphs;
  if (!compared.why_not.empty()) json["last_attempt"] = compared.why_not;
  return json;
}

Json to_json(const sync::PeerStatus& peer, const log::VersionVector& own) {
  Json json{{"address", peer.address}, {"state", name_of(peer.state)}};
  json["site"] = peer.site ? Json(log::to_string(*peer.site)) : Json(nullptr);
  if (!peer.trouble.empty()) json["trouble"] = peer.trouble;
  json["clock_skew_ms"] = peer.clock_skew ? Json(peer.clock_skew->ms) : Json(nullptr);
  if (peer.clock_skew) json["round_trip_ms"] = peer.clock_skew->round_trip_ms;
  json["lag"] = lag(own, peer.has);
  json["has"] = to_json(peer.has);
  json["compared"] = peer.compared ? to_json(*peer.compared) : Json(nullptr);
  json["changesets_sent"] = peer.changesets_sent;
  json["changesets_received"] = peer.changesets_received;
  json["bytes_sent"] = peer.bytes_sent;
  json["bytes_received"] = peer.bytes_received;
  return json;
}

Json to_json(const sync::ClockStatus& clock) {
  Json json{{"state", name_of(clock.state)}, {"max_clock_skew_ms", clock.skew_ms_max}};
  if (!clock.text.empty()) json["text"] = clock.text;
  json["held_back"] = Json::array();
  for (const sync::EarlySite& one : clock.held_back) {
    json["held_back"].push_back({{"site", log::to_string(one.site)},
                                 {"stamp", log::to_string(one.stamp)},
                                 {"until", log::to_string(log::Stamp{one.until_ms, 0})}});
  }
  return json;
}

Json to_json(const std::optional<model::Term>& term) { return term ? Json(model::to_ntriples(*term)) : Json(nullptr); }

Json to_json(const reconcile::CellName& cell) {
  Json json{{"kind", name_of(cell.kind)},
            {"graph", to_json(cell.graph)},
            {"subject", model::to_ntriples(cell.subject)},
            {cell.kind == log::CellKind::Record ? "group" : "property", model::to_ntriples(cell.property)}};
  if (cell.object) json["object"] = model::to_ntriples(*cell.object);
  return json;
}

Json to_json(const reconcile::Content& content) {
  Json json = Json::array();
  for (const auto& statement : content) {
    json.push_back(
        {{"property", model::to_ntriples(statement.property)}, {"object", model::to_ntriples(statement.object)}});
  }
  return json;
}

Json to_json(const reconcile::Version& version) {
  return {{"origin", log::to_string(version.id.origin)},
          {"seq", version.id.seq},
          {"stamp", log::to_string(version.stamp)},
          {"saw", to_json(version.saw)},
          {"left", to_json(version.left)},
          {"maximal", version.is_maximal}};
}

}  // namespace

const char* state_of(const reconcile::SiteIdentity& identity, const reconcile::Membership& membership) {
  if (membership.is_evicted(identity.site)) return "evicted";
  const bool is_let_in = !identity.is_copy || membership.joined_by(identity.site).has_value();
  return is_let_in && membership.is_member(identity.site) ? "member" : "joining";
}

StoreStatus store_status(const reconcile::SiteStore& store, const reconcile::SiteSnapshot& snapshot) {
  StoreStatus status;
  status.identity = store.identity();
  const auto membership = store.membership();
  status.members = membership.names();
  status.pending_evictions = membership.pending();
  status.state = state_of(status.identity, membership);
  status.assignment_digest = store.assignment_digest();
  status.version = snapshot.version_vector();
  status.folded = snapshot.folded_vector();
  status.quads = snapshot.quad_count();
  status.window_cells = snapshot.window_cell_count();
  status.provisional_outcomes = snapshot.provisional_outcome_count();
  status.log_entries = snapshot.log_entry_count();
  return status;
}

PeersStatus peers_status(const Site& site) {
  const sync::SyncNode& sync = site.sync();
  return {sync.peers(), sync.waiting_for(), sync.least_heard(), sync.is_told_evicted(), sync.clock()};
}

uint64_t lag(const log::VersionVector& own, const log::VersionVector& has) {
  uint64_t lacking = 0;
  for (const auto& [origin, seq] : own.entries()) lacking += seq - std::min(seq, has.at(origin));
  return lacking;
}

Json to_json(const StoreStatus& store, const PeersStatus& peers) {
  Json json;
  json["site"] = store.identity.site.name;
  json["incarnation"] = log::to_string(store.identity.site);
  json["cluster"] = store.identity.cluster;
  json["state"] = peers.is_told_evicted ? "evicted" : store.state;
  json["members"] = store.members;
  json["pending_evictions"] = Json::array();
  for (const auto& pending : store.pending_evictions) {
    json["pending_evictions"].push_back({{"site", log::to_string(pending.site)}, {"waits_for", pending.waits_for}});
  }
  json["assignment"] = to_hex(store.assignment_digest);
  json["version"] = to_json(store.version);
  json["folded"] = to_json(store.folded);
  json["quads"] = store.quads;
  json["window_cells"] = store.window_cells;
  json["log_entries"] = store.log_entries;
  json["waiting_for"] = peers.waiting_for;
  json["provisional_outcomes"] = store.provisional_outcomes;
  json["outcomes_wait_for"] =
      store.provisional_outcomes > 0 && !peers.least_heard.empty() ? Json(peers.least_heard) : Json(nullptr);
  json["clock"] = to_json(peers.clock);
  json["peers"] = Json::array();
  for (const auto& peer : peers.peers) json["peers"].push_back(to_json(peer, store.version));
  return json;
}

Json to_json(const WriterTimes& times) {
  const auto milliseconds = [](uint64_t microseconds) { return static_cast<double>(microseconds) / 1000; };
  return {{"groups", times.groups},
          {"longest_group_ms", milliseconds(times.longest_group_us)},
          {"longest_commit_ms", milliseconds(times.longest_commit_us)},
          {"compaction_steps", times.compaction_steps},
          {"longest_compaction_ms", milliseconds(times.longest_compaction_us)}};
}

Json to_json(const std::vector<policies::PolicyTroubles>& troubles) {
  const auto time = [](int64_t ms) { return log::to_string(log::Stamp{ms, 0}); };
  Json json = Json::array();
  for (const policies::PolicyTroubles& one : troubles) {
    Json& policy = json.emplace_back(Json{{"policy", one.policy}, {"failures", one.failures}});
    if (one.failures > 0) policy["last_failure"] = {{"time", time(one.last_failure_ms)}, {"why", one.last_failure}};
    policy["overruns"] = one.overruns;
    if (one.overruns > 0) policy["last_overrun"] = {{"time", time(one.last_overrun_ms)}};
    if (one.overruns > 0) policy["longest_overrun_ms"] = one.longest_ms;
  }
  return json;
}

void add_to_json(const ProcessStatus& process, Json& status) {
  status["tls"] = process.certificate_end.empty() ? Json(nullptr) : Json{{"certificate_end", process.certificate_end}};
  const DiskStatus& disk = process.disk;
  status["disk"] = {{"store_bytes", disk.store_bytes}, {"free_bytes", disk.free_bytes}};
  status["disk"]["growth_bytes_per_hour"] =
      disk.growth_bytes_per_hour ? Json(*disk.growth_bytes_per_hour) : Json(nullptr);
  status["disk"]["full_in_s"] = disk.full_in_s ? Json(*disk.full_in_s) : Json(nullptr);
  status["trouble"] = Json::array();
  for (const auto& line : process.trouble) {
    const std::time_t seconds = line.last_ms / 1000;
    status["trouble"].push_back({{"time", fmt::format("{:%Y-%m-%dT%H:%M:%S}Z", fmt::gmtime(seconds))},
                                 {"count", line.count},
                                 {"text", line.text}});
  }
}

Json to_json(const ListedConflict& conflict) {
  const reconcile::ConflictRecord& record = conflict.record;
  Json json{{"id", record.id}, {"time", log::to_string(record.time)}, {"cell", to_json(record.cell)}};
  json["candidates"] = Json::array();
  for (const auto& candidate : record.candidates) json["candidates"].push_back(to_json(candidate));
  json["chosen"] = to_json(record.chosen);
  json["policy"] = record.policy;
  if (!record.failure.empty()) json["failure"] = record.failure;
  if (!record.fallback.empty()) json["fallback"] = record.fallback;
  json["provisional"] = record.is_provisional;
  json["open"] = conflict.is_open;
  return json;
}

Json to_json(const std::vector<ListedConflict>& conflicts) {
  Json json = Json::array();
  for (const ListedConflict& conflict : conflicts) json.push_back(to_json(conflict));
  return json;
}

std::string to_hex(const log::ChangesetHash& hash) {
  std::string text;
  for (const uint8_t byte : hash) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace quadrille::replica
