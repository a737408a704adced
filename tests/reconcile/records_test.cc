// Record cells: groups of properties that change as one.
#include <catch2/catch.hpp>

#include "tests/reconcile/site_fixture.h"

using namespace quadrille;
using test::Cluster;
using test::Triple;

namespace {

reconcile::AssignmentRule in_address(const std::string& property) {
  return {{"*"}, {"http://e/" + property}, log::CellKind::Record, "http://e/address", "last-writer-wins"};
}

Cluster cluster_with_addresses(size_t sites = 2) { return Cluster(sites, {in_address("street"), in_address("city")}); }

}  // namespace

TEST_CASE("two sites that each write half of an address agree on one whole address") {
  Cluster cluster = cluster_with_addresses();
  cluster[0].insert({{"s", "street", "old"}, {"s", "city", "Paris"}});
  cluster.exchange();
  cluster[0].insert(Triple{"s", "street", "Rue"});
  cluster[1].clock.now += 5;
  cluster[1].insert(Triple{"s", "city", "Rome"});
  cluster.exchange();
  for (auto& site : cluster.sites) {
    CHECK(site->has({"s", "street", "old"}));
    CHECK(site->has({"s", "city", "Rome"}));
    CHECK(site->store->snapshot()->quad_count() == 2);
  }
  CHECK(cluster[0].conflicts().size() == 1);
  cluster.quiet();
  CHECK(cluster[0].store->snapshot()->window_cell_count() == 0);
  CHECK(cluster[0].conflicts() == cluster[1].conflicts());
  CHECK(cluster[0].conflicts().front().cell.property == model::Term::iri("http://e/address"));
}

TEST_CASE("what a request inserts of a record replaces that property's values, and no other's") {
  Cluster cluster = cluster_with_addresses();
  cluster[0].insert({{"s", "street", "a"}, {"s", "city", "b"}, {"s", "other", "c"}});
  cluster[0].insert(Triple{"s", "street", "d"});
  CHECK_FALSE(cluster[0].has({"s", "street", "a"}));
  CHECK(cluster[0].has({"s", "street", "d"}));
  CHECK(cluster[0].has({"s", "city", "b"}));
  CHECK(cluster[0].has({"s", "other", "c"}));
}

TEST_CASE("a record takes several values of a property, by one request") {
  Cluster cluster = cluster_with_addresses();
  cluster[0].insert({{"s", "street", "a"}, {"s", "street", "b"}});
  cluster.exchange();
  CHECK(cluster[1].has({"s", "street", "a"}));
  CHECK(cluster[1].has({"s", "street", "b"}));
  CHECK(cluster[0].store->verify().empty());
}

TEST_CASE("records of two subjects, and of two graphs, are decided apart") {
  Cluster cluster = cluster_with_addresses();
  cluster[0].insert({{"s", "street", "a"}, {"t", "street", "a"}, {"s", "street", "a", "g"}});
  cluster[1].clock.now += 5;
  cluster[1].insert(Triple{"s", "street", "b"});
  cluster.exchange();
  CHECK(cluster[0].has({"s", "street", "b"}));
  CHECK(cluster[0].has({"t", "street", "a"}));
  CHECK(cluster[0].has({"s", "street", "a", "g"}));
  CHECK(cluster[0].text() == cluster[1].text());
}

TEST_CASE("a site takes no record that holds a property of another cell") {
  Cluster cluster = cluster_with_addresses();
  Cluster others(2, {in_address("street"), in_address("town")});
  others[0].insert(Triple{"s", "town", "x"});
  CHECK_THROWS(cluster[1].apply({others[0].last_changeset()}));
}
