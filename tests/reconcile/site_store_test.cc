#include <catch2/catch.hpp>

#include "tests/reconcile/site_fixture.h"

using namespace quadrille;
using test::Cluster;

TEST_CASE("what one site writes, another takes in, quad for quad") {
  Cluster cluster(2);
  cluster[0].insert({{"s", "p", "o"}, {"s", "p", "2"}, {"s", "p", "x", "g"}});
  cluster[0].erase({"s", "p", "2"});
  cluster[1].pull(cluster[0]);
  CHECK(cluster[1].text() == cluster[0].text());
  CHECK(cluster[1].has({"s", "p", "x", "g"}));
  CHECK_FALSE(cluster[1].has({"s", "p", "2"}));
  CHECK(cluster[0].store->snapshot()->digest() == cluster[1].store->snapshot()->digest());
  for (auto& site : cluster.sites) CHECK(site->store->verify().empty());
}
