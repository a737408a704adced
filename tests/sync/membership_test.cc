// Members that come and go, with real stores and real sessions.
#include <catch2/catch.hpp>
#include <cstdlib>

#include "tests/sync/real_network.h"

using namespace quadrille;  // NOLINT
using test::RealNetwork;
using test::RealSite;
using test::Triple;

namespace {

// A cluster whose members come and go, and whose lines can be cut.
class ChangingCluster {
 public:
  explicit ChangingCluster(size_t founders) : net_(founders) {
    for (auto& site : net_.sites) {
      wire(*site);
      connect(*site);
    }
  }
  RealSite& operator[](size_t index) { return net_[index]; }
  size_t size() const { return net_.sites.size(); }
  void run_ms(uint64_t ms) { net_.net.run_ms(ms); }
  bool run_until(const std::function<bool()>& reached, int seconds) { return net_.net.run_until(reached, seconds); }

  void cut(const std::string& one, const std::string& other) {
    cut_.insert(std::minmax(one, other));
    net_.net.cut_all();
  }
  void cut_off(const std::string& site) {
    for (auto& other : net_.sites) cut(site, other->site.id().name);
  }
  void heal() { cut_.clear(); }

  static bool may_write(const RealSite& site) {
    const auto membership = site.site.store->membership();
    return membership.is_member(site.site.id()) && !site.node->is_told_evicted() &&
           (!site.site.store->identity().is_copy || membership.joined_by(site.site.id()));
  }
  bool insert(RealSite& site, const Triple& triple) {
    return update(site, [&](model::QuadTarget& target) { target.insert(test::ids_of(target, triple)); });
  }
  bool erase(RealSite& site, const Triple& triple) {
    return update(site, [&](model::QuadTarget& target) { target.erase(test::ids_of(target, triple)); });
  }
  bool count_up(RealSite& site, int64_t by) {
    const auto values = site.site.values("account", "balance");
    const int64_t old = values.empty() ? 0 : std::stoll(values.front());
    return update(site, [&](model::QuadTarget& target) {
      if (!values.empty()) target.erase(test::ids_of(target, {"account", "balance", std::to_string(old)}));
      target.insert(test::ids_of(target, {"account", "balance", std::to_string(old + by)}));
    });
  }
  bool update(RealSite& site, const std::function<void(model::QuadTarget&)>& work) {
    const auto receipt = site.site.try_update([&](model::QuadTarget& target) -> base::Result<void> {
      work(target);
      return {};
    });
    if (receipt.ok() && receipt->header.id.seq > 0) site.node->on_local_commit(receipt->header);
    return receipt.ok();
  }
  bool evict(RealSite& by, const std::string& name) { return tell(by, by.site.evict(name)); }

  // A copy now, which is let in by let_in().
  RealSite& copy(RealSite& sponsor, const std::string& name, uint64_t incarnation) {
    sponsor.site.keep_log();
    auto& sites = net_.cluster.sites;
    sites.push_back(std::make_unique<test::TestSite>(net_.cluster.world, name, incarnation, sponsor.site));
    net_.sites.push_back(std::make_unique<RealSite>(net_.net, net_.sites, *sites.back()));
    wire(*net_.sites.back());
    return *net_.sites.back();
  }
  bool let_in(RealSite& sponsor, RealSite& joiner) { return tell(sponsor, sponsor.site.add(joiner.site)); }
  void serve(RealSite& joiner) {
    joiner.start(joiner.site.store->membership().names(), {});
    connect(joiner);
  }
  // One that was not let in, or is of no more use.
  void drop_last() {
    net_.sites.pop_back();
    net_.cluster.sites.pop_back();
  }

  // Those that are members, as they know it themselves.
  std::vector<RealSite*> members() {
    std::vector<RealSite*> found;
    for (auto& site : net_.sites) {
      if (may_write(*site)) found.push_back(site.get());
    }
    return found;
  }
  // All members have the same, say that they are the members, and have nothing left in their windows.
  bool is_at_rest() {
    const auto all = members();
    std::vector<std::string> names;
    for (const RealSite* one : all) names.push_back(one->site.id().name);
    std::sort(names.begin(), names.end());
    return !all.empty() && std::all_of(all.begin(), all.end(), [&](const RealSite* one) {
      const auto membership = one->site.store->membership();
      return membership.names() == names && membership.pending().empty() && one->is_quiet() &&
             one->site.store->snapshot()->version_vector() == all[0]->site.store->snapshot()->version_vector();
    });
  }
  std::string story() {
    std::string text;
    for (auto& site : net_.sites) {
      const auto membership = site->site.store->membership();
      text += log::to_string(site->site.id()) + (may_write(*site) ? " member" : " out") + " knows ";
      for (const auto& name : membership.names()) text += name + " ";
      for (const auto& one : membership.pending()) {
        text += "(" + log::to_string(one.site) + " waits for";
        for (const auto& name : one.waits_for) text += " " + name;
        text += ") ";
      }
      text += "window " + std::to_string(site->site.store->snapshot()->window_cell_count()) + ", has";
      const auto vector = site->site.store->snapshot()->version_vector();
      for (const auto& [origin, seq] : vector.entries())
        text += " " + log::to_string(origin) + ":" + std::to_string(seq);
      text += ", waits for";
      for (const auto& name : site->node->waiting_for()) text += " " + name;
      text += site->troubles.empty() ? "\n" : "; " + site->troubles.back() + "\n";
    }
    return text;
  }
  void check_at_rest() {
    run_until([&] { return is_at_rest(); }, 300);
    INFO(story());
    REQUIRE(is_at_rest());
    const auto all = members();
    for (const RealSite* one : all) {
      CHECK(one->site.text() == all[0]->site.text());
      CHECK(one->site.conflicts() == all[0]->site.conflicts());
      CHECK(one->site.store->verify().empty());
    }
  }

 private:
  void wire(RealSite& site) {
    site.network_is_cut = [this](const std::string& from, const std::string& to) {
      return cut_.contains(std::minmax(from, to));
    };
  }
  // To all that there are; those that come later connect to this one.
  void connect(RealSite& site) {
    std::set<std::string> names;
    for (auto& other : net_.sites) names.insert(other->site.id().name);
    names.erase(site.site.id().name);
    for (const auto& name : names) site.node->keep_connected(name);
  }
  static bool tell(RealSite& site, const base::Result<reconcile::CommitReceipt>& receipt) {
    if (receipt.ok()) site.node->on_local_commit(receipt->header);
    return receipt.ok();
  }

  std::set<std::pair<std::string, std::string>> cut_;
  RealNetwork net_;
};

size_t seeds_of(size_t usual) {
  const char* wanted = std::getenv("QUADRILLE_SEEDS");
  return wanted ? std::strtoul(wanted, nullptr, 10) : usual;
}

}  // namespace

TEST_CASE("the last changeset of an evicted site stays where a member wrote upon it before its answer") {
  ChangingCluster cluster(3);
  cluster.run_ms(2'000);
  cluster.cut("ams", "sgp");
  cluster.insert(cluster[2], {"last", "p", "o"});  // of sgp; nyc alone gets it
  cluster.cut("ams", "nyc");
  REQUIRE(cluster.run_until([&] { return cluster[1].site.has({"last", "p", "o"}); }, 20));
  cluster.cut_off("sgp");
  cluster.insert(cluster[1], {"upon", "p", "o"});
  REQUIRE(cluster.evict(cluster[0], "sgp"));
  cluster.heal();
  cluster.cut_off("sgp");
  cluster.heal();
  cluster.cut("ams", "sgp");
  cluster.cut("nyc", "sgp");
  cluster.run_until([&] { return cluster[0].site.store->membership().names().size() == 2; }, 60);
  CHECK(cluster[0].site.has({"last", "p", "o"}));
  CHECK(cluster[0].site.has({"upon", "p", "o"}));
  cluster.heal();
  cluster.check_at_rest();
  CHECK(cluster.members().size() == 2);
}

TEST_CASE("what an evicted site wrote that no member has stays out, and the site is told") {
  ChangingCluster cluster(3);
  cluster.run_ms(2'000);
  cluster.cut_off("sgp");
  cluster.insert(cluster[2], {"unseen", "p", "o"});
  cluster.insert(cluster[0], {"a", "p", "o"});
  REQUIRE(cluster.evict(cluster[0], "sgp"));
  REQUIRE(cluster.run_until([&] { return cluster[1].site.store->membership().names().size() == 2; }, 60));
  cluster.heal();
  cluster.check_at_rest();
  CHECK_FALSE(cluster[0].site.has({"unseen", "p", "o"}));
  CHECK(cluster.run_until([&] { return cluster[2].node->is_told_evicted(); }, 60));
  CHECK_FALSE(cluster.insert(cluster[2], {"more", "p", "o"}));
}

TEST_CASE("of members that evict each other while they are apart one is left, and the other is told") {
  const bool has_written = GENERATE(false, true);  // else nobody knows their lives
  CAPTURE(has_written);
  ChangingCluster cluster(3);
  if (has_written) {
    cluster.insert(cluster[0], {"a", "p", "o"});
    cluster.insert(cluster[1], {"n", "p", "o"});
  }
  cluster.run_ms(2'000);
  cluster.cut_off("ams");
  cluster.cut_off("nyc");
  REQUIRE(cluster.evict(cluster[1], "ams"));
  REQUIRE(cluster.evict(cluster[0], "nyc"));
  cluster.heal();
  cluster.check_at_rest();
  CHECK(cluster.members().size() == 2);
}

TEST_CASE("a version that its source gets after the copy, and that others could fold, waits for the joiner") {
  ChangingCluster cluster(3);
  cluster.insert(cluster[0], {"early", "p", "o"});
  cluster.run_ms(2'000);
  RealSite& joiner = cluster.copy(cluster[0], "tyo", 7);
  cluster.insert(cluster[1], {"s", "p", "o"});  // after the copy; all get it and fold it
  REQUIRE(cluster.run_until([&] { return cluster[2].is_quiet() && cluster[2].site.has({"s", "p", "o"}); }, 60));
  REQUIRE(cluster.let_in(cluster[0], joiner));
  CHECK_FALSE(cluster.insert(joiner, {"s", "p", "o2"}));  // it has not even heard of it
  cluster.serve(joiner);
  REQUIRE(cluster.run_until([&] { return ChangingCluster::may_write(joiner); }, 60));
  CHECK(joiner.site.has({"s", "p", "o"}));
  REQUIRE(cluster.insert(joiner, {"s", "p", "o2"}));
  cluster.check_at_rest();
  CHECK(cluster.members().size() == 4);
}

TEST_CASE("a founder's directory that was made anew is no member by having its name") {
  ChangingCluster cluster(2);
  cluster.insert(cluster[1], {"s", "p", "o"});
  REQUIRE(cluster.run_until([&] { return cluster[0].site.has({"s", "p", "o"}); }, 20));
  cluster.cut_off("nyc");
  RealSite& again = cluster.copy(cluster[0], "nyc", 2);
  cluster.heal();
  again.start({"ams", "nyc"}, {});
  again.node->keep_connected("ams");
  cluster.run_until([&] { return !again.troubles.empty(); }, 30);
  REQUIRE_FALSE(again.troubles.empty());
  CHECK(again.troubles.back().find("another life") != std::string::npos);
}

TEST_CASE("members that come and go at random, with lines cut and healed, end with the same quads and empty windows") {
  const size_t count = seeds_of(12);
  for (uint64_t seed = 1; seed <= count; ++seed) {
    CAPTURE(seed);
    test::SeededRandom random(seed);
    ChangingCluster cluster(2 + random.below(3));
    int joined = 0;
    int evicted = 0;
    for (int step = 0; step < 50; ++step) {
      RealSite& site = cluster[random.below(cluster.size())];
      const uint64_t kind = random.below(100);
      if (kind < 60) {
        const Triple triple{"s" + std::to_string(random.below(2)), "p", "o"};
        switch (random.below(3)) {
          case 0: cluster.insert(site, triple); break;
          case 1: cluster.erase(site, triple); break;
          default: cluster.count_up(site, static_cast<int64_t>(random.below(100))); break;
        }
      } else if (kind < 75) {
        const auto& other = cluster[random.below(cluster.size())].site.id().name;
        if (other != site.site.id().name) cluster.cut(site.site.id().name, other);
      } else if (kind < 85) {
        cluster.heal();
      } else if (kind < 92 && evicted < 3) {
        const auto& other = cluster[random.below(cluster.size())].site.id().name;
        // Two that evict each other, with nobody else to ask, are two clusters from then on.
        const auto membership = site.site.store->membership();
        const bool has_third = membership.names().size() >= membership.pending().size() + 3;
        if (has_third && ChangingCluster::may_write(site)) evicted += cluster.evict(site, other) ? 1 : 0;
      } else if (joined < 2 && ChangingCluster::may_write(site)) {
        RealSite& joiner = cluster.copy(site, "new" + std::to_string(joined), 10 + seed);
        cluster.run_ms(random.below(2'000));
        RealSite& sponsor = cluster[random.below(cluster.size() - 1)];
        if (ChangingCluster::may_write(sponsor) && cluster.let_in(sponsor, joiner)) {
          cluster.serve(joiner);
          ++joined;
        } else {
          cluster.drop_last();
        }
      }
      cluster.run_ms(random.below(400));
    }
    cluster.heal();
    cluster.check_at_rest();
  }
}
