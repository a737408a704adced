#include "sync/anti_entropy.h"

#include <kj/debug.h>

#include <algorithm>
#include <utility>

#include "sync/comparison_server.h"
#include "sync/wire.h"

namespace quadrille::sync {
namespace {

constexpr size_t remembered_max = 64;
constexpr size_t graphs_named_max = 10;
constexpr auto time_max = 90 * kj::SECONDS;

// Those of which one side has other quads, the first few.
std::vector<std::string> differing(const std::vector<reconcile::GraphTotals>& left,
                                   const std::map<std::string, store::QuadTotals>& right) {
  std::map<std::string, std::pair<store::QuadTotals, store::QuadTotals>> graphs;
  for (const auto& [graph, totals] : left) graphs[graph].first = totals;
  for (const auto& [graph, totals] : right) graphs[graph].second = totals;
  std::vector<std::string> names;
  for (const auto& [graph, totals] : graphs) {
    if (totals.first == totals.second || names.size() == graphs_named_max) continue;
    names.push_back(graph.empty() ? "the default graph" : graph);
  }
  return names;
}

}  // namespace

// One comparison.
struct AntiEntropy::Run {
  wire::Sink::Client sink;
  std::shared_ptr<CutLook> look;
  kj::Maybe<wire::Comparison::Client> theirs;
  log::VersionVector cut;
  ComparedStatus status;
};

AntiEntropy::AntiEntropy(Parts parts)
    : parts_(std::move(parts)), alarm_(parts_.timer, [this] { compare_next(); }), tasks_(*this) {
  if (parts_.every_ms > 0) compare_next();
}

// The one that was tried longest ago, or never.
std::optional<std::pair<log::SiteId, wire::Sink::Client>> AntiEntropy::choose_peer() {
  std::optional<std::pair<log::SiteId, wire::Sink::Client>> chosen;
  std::optional<kj::TimePoint> chosen_at;
  for (auto& [site, sink] : parts_.sinks()) {
    const auto known = remembered_.find(site);
    if (known == remembered_.end()) return std::pair(site, sink);
    if (chosen_at && *chosen_at <= known->second.tried_at) continue;
    chosen_at = known->second.tried_at;
    chosen = std::pair(site, sink);
  }
  return chosen;
}

// Not all sites at the same moment, nor any as soon as it is there.
void AntiEntropy::compare_next() {
  const size_t peers = std::max<size_t>(1, parts_.sinks().size());
  const uint64_t pause_ms = std::max<uint64_t>(1, parts_.every_ms / peers);
  alarm_.set_after((pause_ms * 3 / 4 + parts_.random.next() % (pause_ms / 2 + 1)) * kj::MILLISECONDS);
  if (!tasks_.isEmpty()) return;
  if (auto peer = choose_peer(); peer && alarm_.is_set()) compare(peer->first, peer->second);
}

void AntiEntropy::compare(const log::SiteId& site, wire::Sink::Client sink) {
  if (remembered_.size() >= remembered_max && !remembered_.contains(site)) remembered_.clear();
  remembered_[site].tried_at = parts_.timer.now();
  const auto run = std::make_shared<Run>(Run{kj::mv(sink), nullptr, nullptr, {}, {}});
  auto done = parts_.open_look()
                  .then([run](std::shared_ptr<CutLook> look) {
                    run->look = std::move(look);
                    return agree_on_cut(run);
                  })
                  .then([run] { return compare_totals(run); });
  tasks_.add(parts_.timer.timeoutAfter(time_max, kj::mv(done))
                 .catch_([run](kj::Exception&& exception) {
                   run->status = {};
                   run->status.why_not = one_line(exception.getDescription().cStr());
                 })
                 .then([this, site, run] { finish(site, run->status); }));
}

kj::Promise<void> AntiEntropy::agree_on_cut(const std::shared_ptr<Run>& run) {
  return run->sink.compareRequest().send().then([run](capnp::Response<wire::Sink::CompareResults>&& answer) {
    auto theirs = read_vector(answer.getVector());
    if (!theirs.ok()) kj::throwFatalException(KJ_EXCEPTION(FAILED, theirs.error().message));
    run->theirs = answer.getComparison();
    run->cut = run->look->vector();
    run->cut.merge(*theirs);
  });
}

kj::Promise<void> AntiEntropy::compare_totals(const std::shared_ptr<Run>& run) {
  auto request = KJ_ASSERT_NONNULL(run->theirs).totalsRequest();
  write_vector(run->cut, request.initCut());
  auto theirs = request.send();
  return run->look->totals(run->cut).then(
      [run, sent = kj::mv(theirs)](base::Result<store::QuadTotals> ours) mutable -> kj::Promise<void> {
        if (!ours.ok()) {
          run->status.why_not = ours.error().message;
          return kj::READY_NOW;
        }
        return sent.then([run, totals = *ours](auto&& answer) -> kj::Promise<void> {
          if (answer.isNotNow()) {
            run->status.why_not = "the other side says: " + one_line(answer.getNotNow().cStr());
            return kj::READY_NOW;
          }
          const auto read = read_totals(answer.getTotals());
          if (!read.ok()) kj::throwFatalException(KJ_EXCEPTION(FAILED, read.error().message));
          run->status.is_done = true;
          run->status.is_equal = *read == totals;
          return run->status.is_equal ? kj::Promise<void>(kj::READY_NOW) : compare_graphs(run);
        });
      });
}

kj::Promise<void> AntiEntropy::compare_graphs(const std::shared_ptr<Run>& run) {
  return KJ_ASSERT_NONNULL(run->theirs).graphsRequest().send().then([run](auto&& answer) {
    const auto ours = run->look->totals_by_graph();
    if (!ours.ok() || answer.isNotNow()) return;  // where they differ remains to be seen
    std::map<std::string, store::QuadTotals> theirs;
    for (const auto graph : answer.getGraphs()) {
      const auto totals = read_totals(graph.getTotals());
      if (totals.ok()) theirs[one_line(graph.getGraph().cStr())] = *totals;
    }
    run->status.graphs = differing(*ours, theirs);
  });
}

void AntiEntropy::finish(const log::SiteId& site, ComparedStatus status) {
  Remembered& remembered = remembered_[site];
  if (status.is_done) {
    remembered.compared_at = parts_.timer.now();
    remembered.status = status;
  } else if (!remembered.status) {
    remembered.compared_at = parts_.timer.now();
    remembered.status = status;
  } else {
    remembered.status->why_not = status.why_not;
  }
  parts_.on_compared(site, status);
}

std::optional<ComparedStatus> AntiEntropy::status_of(const log::SiteId& site) const {
  const auto known = remembered_.find(site);
  if (known == remembered_.end() || !known->second.status) return std::nullopt;
  ComparedStatus status = *known->second.status;
  status.seconds_ago = static_cast<uint64_t>((parts_.timer.now() - known->second.compared_at) / kj::SECONDS);
  return status;
}

void AntiEntropy::taskFailed(kj::Exception&&) {}

}  // namespace quadrille::sync
