// A cell that is written all the time, by all sites at once: its component may never close, and yet its window stays
// small. DESIGN section 4, "Hot cells".
//
// QUADRILLE_HOT_SECONDS=3600 writes for an hour of the sites' time instead of some seconds, and tells what it saw.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <deque>

#include "reconcile/lmdb_site_snapshot.h"
#include "tests/reconcile/site_fixture.h"

using namespace quadrille;
using test::Cluster;
using test::TestSite;
using test::Triple;

namespace {

constexpr int64_t write_every_ms = 50;
constexpr int64_t latency_ms = 80;
constexpr int64_t heartbeat_every_ms = 1'000;
constexpr int64_t fold_every_ms = 200;
constexpr uint64_t rows_per_compaction = 2'048;

uint64_t window_bytes(const TestSite& site) {
  const auto snapshot = site.store->snapshot();
  return dynamic_cast<const reconcile::LmdbSiteSnapshot&>(*snapshot).window_row_bytes();
}

class HotCell {
 public:
  HotCell(log::CellKind kind, const std::string& policy)
      : kind_(kind),
        rule_{{"*"}, {"http://e/v"}, kind, kind == log::CellKind::Record ? "http://e/g" : "", policy},
        cluster_(3, {rule_}) {
    // An hour of conflicts fills the test's small map, and what a site keeps of them is another test's claim.
    for (auto& site : cluster_.sites) {
      site->conflict_bounds.count_max = 1'000;
      site->reopen();
    }
    cluster_[0].insert(Triple{"s", "v", "0"});
    cluster_.quiet();
    for (auto& site : cluster_.sites) start_ = std::max(start_, site->clock.now);
  }

  // The most that a window held in the last half of that time. In the first, another property gets another policy.
  uint64_t write_for(int64_t seconds) {
    const int64_t end = seconds * 1000;
    for (int64_t now = 0; now < end; now += 10) {
      for (size_t i = 0; i < cluster_.size(); ++i) act(i, now);
      if (now == end / 10 / 10 * 10) assign_another(now);
      if (now < end / 2) continue;
      for (auto& site : cluster_.sites) most_ = std::max(most_, window_bytes(*site));
    }
    return most_;
  }
  bool is_empty_after_quiet() {
    cluster_.quiet();
    cluster_.quiet();
    bool is_empty = true;
    for (auto& site : cluster_.sites) {
      is_empty = is_empty && window_bytes(*site) == 0 && site->text() == cluster_[0].text();
    }
    return is_empty;
  }

 private:
  struct OnItsWay {
    int64_t at = 0;
    std::optional<log::ShippedChangeset> changeset;
    std::optional<reconcile::Heartbeat> heartbeat;
  };

  void act(size_t number, int64_t now) {
    TestSite& site = cluster_[number];
    site.clock.now = start_ + now;
    for (auto& [from, link] : links_) {
      if (from.second != number) continue;
      for (; !link.empty() && link.front().at <= now; link.pop_front()) take(site, link.front());
    }
    if ((now + static_cast<int64_t>(number) * 10) % write_every_ms == 0) write(site, number, now);
    if (now % heartbeat_every_ms == 0) send(number, {now + latency_ms, std::nullopt, site.heartbeat()});
    if (now % fold_every_ms != 0) return;
    site.fold();
    QUADRILLE_CHECK(site.store->compact(rows_per_compaction).ok(), "a site can be compacted");
  }
  void assign_another(int64_t now) {
    cluster_[0].assign({{rule_, {{"*"}, {"http://e/w"}, log::CellKind::Quad, "", "delete-wins"}}, "add-wins"});
    send(0, {now + latency_ms, cluster_[0].last_changeset(), std::nullopt});
  }
  static void take(TestSite& site, const OnItsWay& message) {
    if (message.changeset) site.apply({*message.changeset});
    if (message.heartbeat) site.hear(*message.heartbeat);
  }
  void write(TestSite& site, size_t number, int64_t now) {
    const bool deletes =
        kind_ == log::CellKind::Quad ? (now / write_every_ms) % 2 == 0 : (now / write_every_ms) % 17 == 0;
    const auto object = kind_ == log::CellKind::Quad ? std::string("0") : std::to_string(now % 97);
    const auto receipt = deletes ? site.erase(site_values(site)) : site.insert(Triple{"s", "v", object});
    if (receipt.header.id.seq > 0) send(number, {now + latency_ms, site.last_changeset(), std::nullopt});
  }
  std::vector<Triple> site_values(const TestSite& site) const {
    if (kind_ == log::CellKind::Quad) return {{"s", "v", "0"}};
    std::vector<Triple> all;
    for (const std::string& value : site.values("s", "v")) all.push_back({"s", "v", value});
    return all;
  }
  void send(size_t from, const OnItsWay& message) {
    for (size_t to = 0; to < cluster_.size(); ++to) {
      if (to != from) links_[{from, to}].push_back(message);
    }
  }

  log::CellKind kind_;
  reconcile::AssignmentRule rule_;
  Cluster cluster_;
  int64_t start_ = 0;
  uint64_t most_ = 0;
  std::map<std::pair<size_t, size_t>, std::deque<OnItsWay>> links_;
};

}  // namespace

TEST_CASE(
    "the window of a cell that three sites write all the time stays small, and an assignment does not change that") {
  const char* wanted = std::getenv("QUADRILLE_HOT_SECONDS");
  const int64_t seconds = wanted ? std::atoi(wanted) : 6;
  const auto policies = policies::built_in();
  for (const std::string& name : policies.names()) {
    for (const auto kind : {log::CellKind::Quad, log::CellKind::Value, log::CellKind::Record}) {
      if (!policies.find(name)->decides(kind)) continue;
      INFO(name << " for cells of kind " << static_cast<int>(kind));
      HotCell cell(kind, name);
      const uint64_t bytes = cell.write_for(seconds);
      if (wanted) fmt::print("{:18} kind {}: at most {} bytes\n", name, static_cast<int>(kind), bytes);
      // 60 versions a second: what keeps them all has some 10,000 bytes by now, and grows.
      CHECK(bytes < 6'000);
      CHECK(cell.is_empty_after_quiet());
    }
  }
}
