// Sync on real stores: LMDB, log, policies and folding, over wires in memory.
#include <catch2/catch.hpp>

#include "tests/sync/real_network.h"

using namespace quadrille;  // NOLINT
using test::RealNetwork;
using test::RealSite;

TEST_CASE("real sites in a line that is cut at random end with the same quads and empty windows") {
  const uint64_t seed = GENERATE(1, 2, 3, 4, 5);
  CAPTURE(seed);
  test::SeededRandom random(seed);
  sync::SyncOptions options;
  options.batch_bytes_max = 500;
  RealNetwork net(3, options, seed % 2 == 0 ? 1 : 10'000);  // all changesets are taken in by steps, or none is
  net.net.bytes_of_next_wire = [&] { return 1000 + random.below(20'000); };
  net[0].node->keep_connected("nyc");
  net[2].node->keep_connected("nyc");
  int64_t total = 0;
  for (int i = 0; i < 20; ++i) {
    RealSite& site = net[random.below(3)];
    if (random.below(2) == 0) {
      test::add_to_balance(site, i);
      total += i;
    } else {
      const test::Triple triple{"s" + std::to_string(random.below(3)), "p", "o"};
      const bool inserts = random.below(2) == 0;
      site.update([&](model::QuadTarget& target) -> base::Result<void> {
        inserts ? target.insert(test::ids_of(target, triple)) : target.erase(test::ids_of(target, triple));
        return {};
      });
    }
    net.net.run_ms(random.below(300));
  }
  net.net.bytes_of_next_wire = [] { return UINT64_MAX; };
  net.net.cut_all();
  REQUIRE(net.net.run_until([&] { return net.is_converged(); }, 120));
  REQUIRE(net.net.run_until([&] { return net.is_quiet(); }, 30));
  for (size_t i = 0; i < 3; ++i) {
    CHECK(net[i].site.text() == net[0].site.text());
    CHECK(net[i].site.store->verify().empty());
    CHECK(net[i].site.values("account", "balance") == std::vector<std::string>{std::to_string(total)});
  }
}

TEST_CASE("a reader never sees a part of a large transaction of another site") {
  sync::SyncOptions options;
  options.batch_bytes_max = 16 * 1024;
  RealNetwork net(2, options);
  constexpr uint64_t quads = 20'000;
  net[0].update([&](model::QuadTarget& target) -> base::Result<void> {
    for (uint64_t i = 0; i < quads; ++i) {
      target.insert(test::ids_of(target, {"s" + std::to_string(i), "p", "\"value " + std::to_string(i * i)}));
    }
    return {};
  });
  net.net.bytes_of_next_wire = [] { return uint64_t{100'000}; };  // it takes more
  net[0].node->keep_connected("nyc");
  const auto count = [&] { return net[1].site.store->snapshot()->quad_count(); };
  net.net.run_ms(20);
  net.net.bytes_of_next_wire = [] { return UINT64_MAX; };
  CHECK(count() == 0);
  REQUIRE(net.net.run_until([&] { return count() > 0; }, 30));
  CHECK(count() == quads);
  REQUIRE(net.net.run_until([&] { return net[1].operations_applied == quads; }, 30));
}

TEST_CASE("while a large changeset is taken in, what does not depend on it goes on, and what does waits for it") {
  RealNetwork net(3);
  const auto write = [&](size_t site, int from, int to) {
    net[site].update([&](model::QuadTarget& target) -> base::Result<void> {
      for (int i = from; i < to; ++i) target.insert(test::ids_of(target, {"s" + std::to_string(i), "p", "o"}));
      return {};
    });
  };
  net[1].writer.flush_ms = 100;  // a step
  write(0, 0, 40'000);
  write(0, 0, 1);
  net[0].node->keep_connected("nyc");
  net[2].node->keep_connected("nyc");
  const auto has = [&](size_t site, uint64_t seq) {
    return net[1].site.store->snapshot()->version_vector().covers(net[site].site.id(), seq);
  };
  // It is under way: its terms are there.
  REQUIRE(
      net.net.run_until([&] { return net[1].site.store->snapshot()->find_term(test::term_of("s0")).has_value(); }, 30));
  CHECK_FALSE(has(0, 1));
  write(2, 50'000, 50'001);
  REQUIRE(net.net.run_until([&] { return has(2, 1); }, 30));
  CHECK_FALSE(has(0, 1));
  CHECK(net[1].site.store->snapshot()->quad_count() == 1);
  REQUIRE(net.net.run_until([&] { return has(0, 2); }, 30));
  REQUIRE(net.net.run_until([&] { return net.is_converged() && net.is_quiet(); }, 60));
  for (size_t i = 0; i < 3; ++i) {
    CHECK(net[i].site.text() == net[0].site.text());
    CHECK(net[i].site.store->verify().empty());
    CHECK(net[i].troubles.empty());
  }
}

// sgp has not the policy that ams assigns, and takes nothing from there on. It still tells that it wrote nothing.
TEST_CASE("policies that read other quads decide when all members have spoken, also where one of them takes nothing") {
  size_t made = 0;
  const auto make_policies = [&made] { return made++ == 2 ? test::context_policies() : test::sound_policies(); };
  RealNetwork net(3, {}, 10'000, "context-hash", make_policies);
  for (RealSite* site : {&net[0], &net[1]}) {
    for (RealSite* other : {&net[1], &net[2]}) {
      if (site != other) site->node->keep_connected(other->site.id().name);
    }
  }
  net.net.run_ms(3'000);
  net[0].node->on_local_commit(
      net[0]
          .site
          .assign(
              {{test::single_value("balance", "context-hash"), test::single_value("v", "several-values")}, "add-wins"})
          .header);
  net.net.run_ms(3'000);
  for (size_t i : {0, 1})
    net[i].update([&](model::QuadTarget& target) -> base::Result<void> {
      target.insert(test::ids_of(target, {"s", "balance", std::to_string(i)}));
      return {};
    });
  net.net.run_ms(60'000);
  for (size_t i : {0, 1}) CHECK(net[i].site.store->snapshot()->provisional_outcome_count() == 0);
}
