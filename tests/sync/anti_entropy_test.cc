// Sites compare their quads by themselves, under load too, and tell of what differs.
#include <catch2/catch.hpp>

#include "tests/sync/real_network.h"

using namespace quadrille;  // NOLINT
using test::Cluster;
using test::RealSite;
using test::SeededRandom;
using test::Triple;
using test::VirtualNetwork;

namespace {

sync::SyncOptions comparing_often() {
  sync::SyncOptions options;
  options.compare_every_ms = 20'000;
  return options;
}

// Sites in a line, each connected to the next one.
class Line {
 public:
  explicit Line(Cluster& cluster, const sync::SyncOptions& options = comparing_often()) : cluster_(cluster) {
    for (auto& site : cluster.sites) sites.push_back(std::make_unique<RealSite>(net, sites, *site));
    for (auto& site : sites) site->start(cluster.world.members, options);
    for (size_t i = 1; i < sites.size(); ++i) sites[i - 1]->node->keep_connected(cluster.world.members[i]);
  }
  RealSite& operator[](size_t index) { return *sites[index]; }

  // Everybody writes and takes away, for so many seconds.
  void live(int seconds, SeededRandom& random) {
    for (int second = 0; second < seconds; ++second) {
      for (auto& site : sites) {
        const Triple triple{"s" + std::to_string(random.below(50)), "p", std::to_string(random.below(3)),
                            random.below(3) == 0 ? "g" : ""};
        const bool inserts = random.below(2) == 0;
        site->site.clock.now += 1000;
        site->update([&](model::QuadTarget& target) -> base::Result<void> {
          inserts ? target.insert(test::ids_of(target, triple)) : target.erase(test::ids_of(target, triple));
          return {};
        });
        test::add_to_balance(*site, 1);
      }
      net.run_ms(1000);
    }
  }
  std::vector<sync::ComparedStatus> compared() const {
    std::vector<sync::ComparedStatus> all;
    for (const auto& site : sites) {
      for (const auto& peer : site->node->peers()) {
        if (peer.site) all.push_back(peer.compared.value_or(sync::ComparedStatus()));
      }
    }
    return all;
  }

  VirtualNetwork net{{}};
  std::vector<std::unique_ptr<RealSite>> sites;

 private:
  Cluster& cluster_;
};

Cluster with_data(size_t count) {
  Cluster cluster(count, {test::single_value("balance", "sum")});
  cluster[0].insert(test::many_triples(100));
  cluster[0].insert(Triple{"a", "p", "o", "g"});
  cluster.quiet();
  return cluster;
}

}  // namespace

TEST_CASE("sites that are written to all the time find that they hold the same, again and again") {
  Cluster cluster = with_data(3);
  Line line(cluster);
  SeededRandom random(3);
  for (int minute = 0; minute < 3; ++minute) {
    line.live(60, random);
    const auto compared = line.compared();
    CHECK(compared.size() == 4);
    for (const auto& one : compared) {
      INFO(one.why_not);
      CHECK(one.is_done);
      CHECK(one.is_equal);
      CHECK(one.seconds_ago < 60);
    }
  }
  for (const auto& site : line.sites) CHECK(site->troubles.empty());
  CHECK(line.net.run_until(
      [&] {
        return std::all_of(line.sites.begin(), line.sites.end(), [](const auto& site) { return site->is_quiet(); });
      },
      120));
}

TEST_CASE("a site that lost a quad is found out within the time between comparisons, with the graph, under load too") {
  Cluster cluster = with_data(2);
  cluster[1].damage([](store::Store&, store::Transaction& quads) {
    REQUIRE(quads.erase(test::ids_of(quads, {"a", "p", "o", "g"})));
  });
  Line line(cluster);
  SeededRandom random(4);
  line.live(70, random);
  for (const auto& one : line.compared()) {
    INFO(one.why_not);
    CHECK(one.is_done);
    CHECK_FALSE(one.is_equal);
    CHECK(one.graphs == std::vector<std::string>{"<http://e/g>"});
  }
  for (const auto& site : line.sites) {
    REQUIRE(site->troubles.size() == 1);
    CHECK_THAT(site->troubles.front(), Catch::Contains("holds other quads than this one in <http://e/g>"));
  }
}

TEST_CASE("nothing is compared where that is switched off") {
  Cluster cluster = with_data(2);
  sync::SyncOptions options = comparing_often();
  options.compare_every_ms = 0;
  Line line(cluster, options);
  line.net.run_ms(120'000);
  for (const auto& one : line.compared()) CHECK_FALSE(one.is_done);
  for (const auto& site : line.sites) CHECK(site->troubles.empty());
}
