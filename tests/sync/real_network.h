// Sites with real stores, LMDB, log, policies and folding, and real sync nodes, over wires in memory.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/reconcile/site_fixture.h"
#include "tests/reconcile/test_policies.h"
#include "tests/sync/virtual_network.h"

namespace quadrille::test {

struct RealSite final : sync::Dialer, sync::SyncObserver {
  RealSite(VirtualNetwork& net, std::vector<std::unique_ptr<RealSite>>& all_sites, TestSite& own)
      : network(net), all(all_sites), site(own), writer(*own.store, net.port.timer), random(own.id().name[0]) {}
  ~RealSite() noexcept override = default;

  kj::Promise<sync::Connection> dial(const std::string& address) override {
    if (network_is_cut && network_is_cut(site.id().name, address)) return KJ_EXCEPTION(DISCONNECTED, "the line is cut");
    for (auto& other : all) {
      if (other->site.id().name != address || !other->node) continue;
      auto ends = network.connect();
      other->node->accept(kj::mv(ends.second));
      return sync::Connection(kj::mv(ends.first));
    }
    return KJ_EXCEPTION(DISCONNECTED, "nobody answers");
  }
  void on_applied(const reconcile::ApplyReport& report) override { operations_applied += report.operations; }
  void on_trouble(const std::string& line) override { troubles.push_back(line); }

  void start(const std::vector<std::string>& members, const sync::SyncOptions& options) {
    auto stability =
        std::make_unique<reconcile::Stability>(site.id(), std::set<std::string>(members.begin(), members.end()));
    node = sync::SyncNode::make(
        {*site.store, writer, std::move(stability), *this, network.port.timer, site.clock, random, *this}, options);
  }
  void update(const TestSite::Work& work) { node->on_local_commit(site.update(work).header); }
  bool is_quiet() const {
    const auto snapshot = site.store->snapshot();
    return node->waiting_for().empty() && snapshot->window_cell_count() == 0;
  }

  VirtualNetwork& network;
  std::vector<std::unique_ptr<RealSite>>& all;
  TestSite& site;
  FakeWriteQueue writer;
  SeededRandom random;
  std::function<bool(const std::string& from, const std::string& to)> network_is_cut;
  uint64_t operations_applied = 0;
  std::vector<std::string> troubles;
  std::unique_ptr<sync::SyncNode> node;
};

struct RealNetwork {
  VirtualNetwork net{{}};
  Cluster cluster;
  std::vector<std::unique_ptr<RealSite>> sites;

  RealNetwork(size_t count, const sync::SyncOptions& options = {}, uint64_t large_changeset_min = 10'000,
              const std::string& policy = "sum",
              std::function<reconcile::PolicyRegistry()> make_policies = policies::built_in)
      : cluster(count, {single_value("balance", policy)}, "add-wins", std::move(make_policies)) {
    for (auto& site : cluster.sites) site->set_large_changeset_min(large_changeset_min);
    for (auto& site : cluster.sites) sites.push_back(std::make_unique<RealSite>(net, sites, *site));
    for (auto& site : sites) site->start(cluster.world.members, options);
  }
  RealSite& operator[](size_t index) { return *sites[index]; }
  bool is_converged() const {
    for (const auto& site : sites) {
      if (site->site.store->snapshot()->version_vector() != sites[0]->site.store->snapshot()->version_vector()) {
        return false;
      }
    }
    return true;
  }
  bool is_quiet() const {
    return std::all_of(sites.begin(), sites.end(), [](const auto& site) { return site->is_quiet(); });
  }
};

inline void add_to_balance(RealSite& site, int64_t amount) {
  const auto values = site.site.values("account", "balance");
  const int64_t old = values.empty() ? 0 : std::stoll(values.front());
  site.update([&](model::QuadTarget& target) -> base::Result<void> {
    if (!values.empty()) target.erase(ids_of(target, {"account", "balance", std::to_string(old)}));
    target.insert(ids_of(target, {"account", "balance", std::to_string(old + amount)}));
    return {};
  });
}

}  // namespace quadrille::test
