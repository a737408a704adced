// What concurrent changesets do to a cell, through real stores. Each test is a sentence.
#include <catch2/catch.hpp>

#include "tests/reconcile/site_fixture.h"

using namespace quadrille;
using test::Cluster;
using test::meet;
using test::settle;
using test::single_value;
using test::Triple;
using Values = std::vector<std::string>;

namespace {

const Triple quad{"s", "p", "o"};

Triple value(const std::string& object) { return {"s", "v", object}; }

}  // namespace

TEST_CASE("under add-wins an insert beats a concurrent delete, under delete-wins it does not") {
  for (const bool add_wins : {true, false}) {
    Cluster cluster(2, {}, add_wins ? "add-wins" : "delete-wins");
    cluster[0].insert(quad);
    meet(cluster);
    cluster[0].erase(quad);
    cluster[1].insert(quad);  // it was there already: asserted all the same
    meet(cluster);
    CHECK(cluster[0].has(quad) == add_wins);
    CHECK(cluster[0].conflicts().size() == 1);
    settle(cluster);
  }
}

TEST_CASE("a delete of a quad that was not there counts against a concurrent insert under delete-wins") {
  for (const bool add_wins : {true, false}) {
    Cluster cluster(2, {}, add_wins ? "add-wins" : "delete-wins");
    cluster[0].erase(quad);
    cluster[1].insert(quad);
    meet(cluster);
    CHECK(cluster[0].has(quad) == add_wins);
    settle(cluster);
  }
}

TEST_CASE("a delete and a re-insert that had seen it are no conflict, under any policy") {
  for (const char* policy : {"add-wins", "delete-wins", "last-writer-wins"}) {
    Cluster cluster(2, {}, policy);
    cluster[0].insert(quad);
    cluster[0].erase(quad);
    meet(cluster);
    cluster[1].insert(quad);
    meet(cluster);
    CHECK(cluster[0].has(quad));
    CHECK(cluster[0].conflicts().empty());
    settle(cluster);
  }
}

TEST_CASE("within one request the last assertion about a quad counts") {
  Cluster cluster(2);
  cluster[0].update([](model::QuadTarget& target) -> base::Result<void> {
    target.insert(ids_of(target, quad));
    target.erase(ids_of(target, quad));
    return {};
  });
  CHECK(cluster[0].last_changeset().header.operation_count == 1);
  meet(cluster);
  CHECK_FALSE(cluster[1].has(quad));
}

TEST_CASE("a delete that arrives late or twice does not remove a newer insert") {
  Cluster cluster(3);
  cluster[0].insert(quad);
  meet(cluster);
  cluster[0].erase(quad);
  const log::ShippedChangeset late = cluster[0].last_changeset();
  cluster[1].pull(cluster[0]);
  cluster[1].insert(quad);
  cluster[2].pull(cluster[1]);  // gets the delete and the insert from nyc
  CHECK(cluster[2].apply({late}).applied.empty());
  cluster[1].apply({late, late});
  cluster[0].pull(cluster[1]);
  for (auto& site : cluster.sites) CHECK(site->has(quad));
  settle(cluster);
}

TEST_CASE("equal stamps are decided by origin, the same on all sites") {
  Cluster cluster(2, {single_value("v", "last-writer-wins")});
  const auto first = cluster[0].insert(value("1"));
  const auto second = cluster[1].insert(value("2"));
  REQUIRE(first.header.stamp == second.header.stamp);
  meet(cluster);
  CHECK(cluster[0].values("s", "v") == Values{"2"});  // nyc is after ams
  settle(cluster);
}

TEST_CASE("the same value written at two sites is one value, and nothing for people to look at") {
  for (const char* policy : {"last-writer-wins", "sum"}) {
    Cluster cluster(2, {single_value("v", policy)});
    cluster[0].insert(value("1"));
    meet(cluster);
    cluster[0].erase(value("1"));
    cluster[1].erase(value("1"));
    meet(cluster);
    CHECK(cluster[0].values("s", "v").empty());
    CHECK(cluster[0].conflicts().empty());
    settle(cluster);
  }
  Cluster cluster(2, {single_value("v", "last-writer-wins")});
  cluster[0].insert(value("1"));
  cluster[1].insert(value("1"));
  meet(cluster);
  CHECK(cluster[0].values("s", "v") == Values{"1"});
  CHECK(cluster[0].conflicts().empty());
  settle(cluster);
}

TEST_CASE("INSERT DATA of a value that the cell has writes no version, so it does not stand against another write") {
  Cluster cluster(2, {single_value("v", "last-writer-wins")});
  cluster[0].insert(value("1"));
  meet(cluster);
  cluster[0].insert(value("2"));
  cluster[1].clock.now += 1000;  // later, but it says nothing new
  CHECK(cluster[1].insert(value("1")).header.id.seq == 0);
  meet(cluster);
  CHECK(cluster[0].values("s", "v") == Values{"2"});
  settle(cluster);
}

TEST_CASE("DELETE DATA of a value that the cell does not have writes no version") {
  Cluster cluster(2, {single_value("v", "last-writer-wins")});
  cluster[0].insert(value("1"));
  CHECK(cluster[0].erase(value("2")).header.id.seq == 0);
  CHECK(cluster[0].values("s", "v") == Values{"1"});
}

TEST_CASE("two transfers that each read the same balance both count") {
  Cluster cluster(2, {single_value("v", "sum")});
  cluster[0].insert(value("10"));
  meet(cluster);
  cluster[0].insert(value("13"));
  cluster[1].insert(value("6"));
  meet(cluster);
  CHECK(cluster[0].values("s", "v") == Values{"9"});
  settle(cluster);
}

TEST_CASE("concurrent creation adds up under sum, and the same file loaded at two sites counts twice") {
  Cluster cluster(2, {single_value("v", "sum")});
  cluster[0].insert(value("5"));
  cluster[1].insert(value("7"));
  meet(cluster);
  CHECK(cluster[0].values("s", "v") == Values{"12"});
  settle(cluster);

  Cluster same(2, {single_value("v", "sum")});
  same[0].insert(value("5"));
  same[1].insert(value("5"));
  meet(same);
  CHECK(same[0].values("s", "v") == Values{"10"});
  settle(same);
}

TEST_CASE("under sum an increment survives a concurrent deletion") {
  Cluster cluster(2, {single_value("v", "sum")});
  cluster[0].insert(value("10"));
  meet(cluster);
  cluster[0].erase(value("10"));
  cluster[1].insert(value("12"));
  meet(cluster);
  CHECK(cluster[0].values("s", "v") == Values{"12"});
  settle(cluster);
}

TEST_CASE("under sum a criss-cross of three sites counts every change once") {
  Cluster cluster(3, {single_value("v", "sum")});
  cluster[0].insert(value("100"));
  meet(cluster);
  cluster[0].insert(value("101"));
  cluster[1].insert(value("110"));
  cluster[0].pull(cluster[1]);  // 111 at both
  cluster[1].pull(cluster[0]);
  REQUIRE(cluster[0].values("s", "v") == Values{"111"});
  cluster[0].insert(value("211"));   // +100
  cluster[1].insert(value("1111"));  // +1000
  cluster[2].insert(value("90"));    // -10, having seen 100 only
  meet(cluster);
  CHECK(cluster[0].values("s", "v") == Values{"1201"});
  settle(cluster);
}

TEST_CASE("CLEAR removes what it saw: a concurrent insert of another quad stays, of the same one goes by the policy") {
  for (const bool add_wins : {true, false}) {
    Cluster cluster(2, {}, add_wins ? "add-wins" : "delete-wins");
    const Triple other{"s", "p", "other"};
    cluster[0].insert({quad, {"s", "q", "o"}});
    meet(cluster);
    cluster[0].erase({quad, {"s", "q", "o"}});  // what CLEAR asserts
    cluster[1].insert({quad, other});
    meet(cluster);
    CHECK(cluster[0].has(other));
    CHECK_FALSE(cluster[0].has({"s", "q", "o"}));
    CHECK(cluster[0].has(quad) == add_wins);
    settle(cluster);
  }
}

TEST_CASE("values of different types for one single-valued property become one value on every site") {
  Cluster cluster(2, {single_value("v", "last-writer-wins")});
  cluster[0].insert(value("7"));
  cluster[1].insert(value("\"seven"));
  meet(cluster);
  CHECK(cluster[0].values("s", "v").size() == 1);
  settle(cluster);
}

TEST_CASE("a write that had seen the merge supersedes all of it") {
  Cluster cluster(3, {single_value("v", "last-writer-wins")});
  cluster[0].insert(value("1"));
  cluster[1].insert(value("2"));
  meet(cluster);
  cluster[0].clock.now -= 500'000;  // a clock that goes back makes no write older than what it saw
  cluster[0].insert(value("3"));
  meet(cluster);
  CHECK(cluster[2].values("s", "v") == Values{"3"});
  settle(cluster);
}

TEST_CASE("an inserted value replaces the one that was there") {
  Cluster cluster(1, {single_value("v", "last-writer-wins")});
  cluster[0].insert(value("1"));
  const auto receipt = cluster[0].insert(value("2"));
  CHECK(cluster[0].values("s", "v") == Values{"2"});
  CHECK(receipt.quads_inserted == 1);
  CHECK(receipt.quads_erased == 1);
}

TEST_CASE("two values for one single-valued cell in one request are refused, and nothing of the request stays") {
  Cluster cluster(1, {single_value("v", "last-writer-wins")});
  const auto refused = cluster[0].try_update([](model::QuadTarget& target) -> base::Result<void> {
    for (const Triple& triple : {quad, value("1"), value("2")}) target.insert(ids_of(target, triple));
    return {};
  });
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == base::ErrorKind::Refused);
  CHECK(refused.error().message == "2 values for <http://e/s> <http://e/v>, which may have one");
  CHECK(cluster[0].text().empty());
}

TEST_CASE("a request may write a single value, delete it, and write another") {
  Cluster cluster(1, {single_value("v", "last-writer-wins")});
  cluster[0].update([](model::QuadTarget& target) -> base::Result<void> {
    target.insert(ids_of(target, value("1")));
    target.erase(ids_of(target, value("1")));
    target.insert(ids_of(target, value("2")));
    return {};
  });
  CHECK(cluster[0].values("s", "v") == Values{"2"});
}

TEST_CASE("a request that leaves its cells as they were logs nothing") {
  Cluster cluster(2, {single_value("v", "last-writer-wins")});
  cluster[0].insert(value("1"));
  cluster[0].update([](model::QuadTarget& target) -> base::Result<void> {
    target.erase(ids_of(target, value("1")));
    target.insert(ids_of(target, value("1")));
    return {};
  });
  CHECK(cluster[0].store->snapshot()->version_vector().at(cluster[0].id()) == 1);
}

TEST_CASE("of two rules for a property the more specific one makes the cell") {
  reconcile::AssignmentRule in_one_graph = single_value("v", "sum");
  in_one_graph.graph.text = "http://e/g";
  Cluster cluster(2, {in_one_graph});
  cluster[0].insert({{"s", "v", "1", "g"}, {"s", "v", "1"}});
  cluster[1].insert({{"s", "v", "2", "g"}, {"s", "v", "2"}});
  meet(cluster);
  CHECK(cluster[0].has({"s", "v", "3", "g"}));
  CHECK(cluster[0].has({"s", "v", "1"}));
  CHECK(cluster[0].has({"s", "v", "2"}));
  settle(cluster);
}
