#include "replica/http/metrics_endpoint.h"

#include <fmt/format.h>

#include <utility>

#include "replica/http/metrics_text.h"
#include "replica/http/replies.h"
#include "replica/site/status.h"

namespace quadrille::http {
namespace {

using Kind = MetricsText::Kind;

constexpr char metrics_type[] = "text/plain; version=0.0.4; charset=utf-8";

double seconds(uint64_t microseconds) { return static_cast<double>(microseconds) / 1e6; }

void write_requests(const Metrics& metrics, MetricsText& text) {
  text.begin("quadrille_http_requests_total", Kind::Counter, "Requests that are over, by operation and outcome.");
  for (size_t i = 0; i < Metrics::operations.size(); ++i) {
    for (size_t outcome = 0; outcome < Metrics::outcome_names.size(); ++outcome) {
      text.sample(static_cast<double>(metrics.of(i).outcomes[outcome]),
                  {{"operation", Metrics::operations[i]}, {"outcome", Metrics::outcome_names[outcome]}});
    }
  }
  text.begin("quadrille_http_request_duration_seconds", Kind::Histogram,
             "From the request to the end of its answer, by operation.");
  for (size_t i = 0; i < Metrics::operations.size(); ++i) {
    const auto& operation = metrics.of(i);
    const std::string name = Metrics::operations[i];
    uint64_t count = 0;
    for (size_t bound = 0; bound < Metrics::bounds_us.size(); ++bound) {
      count += operation.buckets[bound];
      text.sample(
          static_cast<double>(count),
          {{"operation", name}, {"le", fmt::format("{}", static_cast<double>(Metrics::bounds_us[bound]) / 1e6)}},
          "_bucket");
    }
    count += operation.buckets.back();
    text.sample(static_cast<double>(count), {{"operation", name}, {"le", "+Inf"}}, "_bucket");
    text.sample(seconds(operation.total_us), {{"operation", name}}, "_sum");
    text.sample(static_cast<double>(count), {{"operation", name}}, "_count");
  }
  text.gauge("quadrille_http_requests_in_progress", "Requests that are being answered, or wait for it.",
             static_cast<double>(metrics.in_progress()));
}

void write_connections(const ServerCounts& counts, MetricsText& text) {
  text.gauge("quadrille_http_connections", "Connections that are open.", static_cast<double>(counts.connections));
  text.counter("quadrille_http_connections_accepted_total", "Connections that were opened.",
               counts.connections_accepted);
  text.counter("quadrille_http_connections_dropped_total",
               "Connections that were closed because the client was slow, or there were too many.",
               counts.connections_dropped);
  text.counter("quadrille_http_received_bytes_total", "Bytes that clients sent.", counts.bytes_received);
  text.counter("quadrille_http_sent_bytes_total", "Bytes that were sent to clients.", counts.bytes_sent);
}

void write_store(const replica::StoreStatus& store, const replica::DiskStatus& disk, MetricsText& text) {
  text.gauge("quadrille_quads", "Quads, without those of local graphs.", static_cast<double>(store.quads));
  text.gauge("quadrille_log_changesets", "Changesets that the log keeps.", static_cast<double>(store.log_entries));
  text.gauge("quadrille_window_cells", "Cells whose history is kept, because not all members are known to have it.",
             static_cast<double>(store.window_cells));
  text.gauge("quadrille_provisional_outcomes", "Conflicts that are not finally decided.",
             static_cast<double>(store.provisional_outcomes));
  text.gauge("quadrille_members", "Members of the cluster.", static_cast<double>(store.members.size()));
  text.gauge("quadrille_pending_evictions", "Evictions that not all members have answered.",
             static_cast<double>(store.pending_evictions.size()));
  text.begin("quadrille_changesets_seen", Kind::Gauge, "The number of the last changeset that is here, by its site.");
  for (const auto& [site, seq] : store.version.entries()) {
    text.sample(static_cast<double>(seq), {{"origin", log::to_string(site)}});
  }
  text.gauge("quadrille_store_bytes", "Bytes that the site's files take on disk.",
             static_cast<double>(disk.store_bytes));
  text.gauge("quadrille_disk_free_bytes", "Bytes that are free where the site's files are.",
             static_cast<double>(disk.free_bytes));
  if (disk.full_in_s) {
    text.gauge("quadrille_disk_full_seconds", "Until the disk is full, as the store grows.",
               static_cast<double>(*disk.full_in_s));
  }
}

void write_writer(const replica::WriterTimes& times, MetricsText& text) {
  text.counter("quadrille_commits_total", "Groups of updates that were committed, each with one flush to disk.",
               times.groups);
  text.gauge("quadrille_longest_commit_seconds", "The longest commit so far: its flush to disk, mostly.",
             seconds(times.longest_commit_us));
  text.gauge("quadrille_longest_group_seconds", "The longest that a group of updates has held the writer.",
             seconds(times.longest_group_us));
  text.counter("quadrille_compaction_steps_total", "Steps of compaction.", times.compaction_steps);
  text.gauge("quadrille_longest_compaction_seconds", "The longest that compaction has held the writer.",
             seconds(times.longest_compaction_us));
}

void write_policies(const std::vector<policies::PolicyTroubles>& troubles, MetricsText& text) {
  text.begin("quadrille_policy_failures_total", Kind::Counter, "Calls of a policy that failed, by policy.");
  for (const auto& one : troubles) text.sample(static_cast<double>(one.failures), {{"policy", one.policy}});
  text.begin("quadrille_policy_overruns_total", Kind::Counter, "Calls of a policy that took too long, by policy.");
  for (const auto& one : troubles) text.sample(static_cast<double>(one.overruns), {{"policy", one.policy}});
}

using PeerFigure = double (*)(const sync::PeerStatus&, const log::VersionVector& own);

void write_peers(const replica::PeersStatus& status, const log::VersionVector& own, MetricsText& text) {
  const auto figure = [&](const char* name, Kind kind, const char* help, PeerFigure value) {
    text.begin(name, kind, help);
    for (const auto& peer : status.peers) {
      if (!peer.site) continue;
      text.sample(value(peer, own), {{"peer", log::to_string(*peer.site)}});
    }
  };
  figure("quadrille_peer_connected", Kind::Gauge, "1 if changesets flow to and from that site.",
         [](const sync::PeerStatus& peer, const log::VersionVector&) {
           return peer.state == sync::PeerState::Connected ? 1.0 : 0.0;
         });
  figure("quadrille_peer_lag_changesets", Kind::Gauge, "Changesets that are here, and that site is not known to have.",
         [](const sync::PeerStatus& peer, const log::VersionVector& has) {
           return static_cast<double>(replica::lag(has, peer.has));
         });
  figure("quadrille_peer_sent_changesets_total", Kind::Counter, "Changesets that were sent to that site.",
         [](const sync::PeerStatus& peer, const log::VersionVector&) {
           return static_cast<double>(peer.changesets_sent);
         });
  figure("quadrille_peer_received_changesets_total", Kind::Counter, "Changesets that came from that site, once each.",
         [](const sync::PeerStatus& peer, const log::VersionVector&) {
           return static_cast<double>(peer.changesets_received);
         });
  figure("quadrille_peer_sent_bytes_total", Kind::Counter, "Bytes that were sent to that site.",
         [](const sync::PeerStatus& peer, const log::VersionVector&) { return static_cast<double>(peer.bytes_sent); });
  figure(
      "quadrille_peer_received_bytes_total", Kind::Counter, "Bytes that came from that site.",
      [](const sync::PeerStatus& peer, const log::VersionVector&) { return static_cast<double>(peer.bytes_received); });
  text.gauge("quadrille_evicted", "1 if this site was told that it is no member any more.",
             status.is_told_evicted ? 1 : 0);
}

}  // namespace

void answer_metrics(const EndpointContext& context, const std::shared_ptr<Exchange>& exchange) {
  auto store = base::catch_storage_error([&]() -> base::Result<replica::StoreStatus> {
    return replica::store_status(context.site.store(), *context.site.store().snapshot());
  });
  if (!store.ok()) return exchange->respond(error_response(store.error()));
  context.post_to_loop([&context, exchange, store = std::move(store).value()] {
    MetricsText text;
    text.begin("quadrille_site_info", Kind::Gauge, "What site this is.");
    text.sample(
        1,
        {{"site", log::to_string(store.identity.site)}, {"cluster", store.identity.cluster}, {"state", store.state}});
    write_requests(*context.metrics, text);
    write_connections(context.server_counts(), text);
    write_store(store, context.process_status().disk, text);
    write_writer(context.writer_times(), text);
    write_policies(context.policy_troubles.troubles(), text);
    write_peers(replica::peers_status(context.site), store.version, text);
    exchange->respond({200, metrics_type, text.take(), {}});
  });
}

}  // namespace quadrille::http
