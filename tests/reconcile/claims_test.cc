// What holds under each built-in policy, through real stores. Each test is a sentence; tests/reconcile/cells_test.cc
// has what is particular to one.
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

std::vector<std::string> policies_for(log::CellKind kind) {
  const auto registry = policies::built_in();
  std::vector<std::string> names;
  for (const auto& name : registry.names()) {
    if (registry.find(name)->decides(kind)) names.push_back(name);
  }
  return names;
}

bool keeps_several(const std::string& policy) { return policies::built_in().find(policy)->accepts_several_values(); }

Cluster values_under(const std::string& policy, size_t sites = 2) {
  return Cluster(sites, {single_value("v", policy)});
}

Values values_of(Cluster& cluster) { return cluster[0].values("s", "v"); }

}  // namespace

TEST_CASE("equal stamps are decided alike at every site, by any policy") {
  for (const auto& policy : policies_for(log::CellKind::Value)) {
    INFO(policy);
    Cluster cluster = values_under(policy, 3);
    const auto first = cluster[0].insert(value("1"));
    CHECK(cluster[1].insert(value("2")).header.stamp == first.header.stamp);
    CHECK(cluster[2].insert(value("3")).header.stamp == first.header.stamp);
    meet(cluster);
    const std::map<std::string, Values> expected = {{"first-writer-wins", {"1"}},
                                                    {"last-writer-wins", {"3"}},
                                                    {"max", {"3"}},
                                                    {"min", {"1"}},
                                                    {"site-priority", {"1"}},
                                                    {"keep-all", {"1", "2", "3"}},
                                                    {"union", {"1", "2", "3"}},
                                                    {"sum", {"6"}}};
    CHECK(values_of(cluster) == expected.at(policy));
    settle(cluster);
  }
}

TEST_CASE("the same value written twice is no conflict, by any policy; only sum counts it twice") {
  for (const auto& policy : policies_for(log::CellKind::Value)) {
    INFO(policy);
    Cluster cluster = values_under(policy);
    cluster[0].insert(value("5"));
    cluster[1].insert(value("5"));
    meet(cluster);
    CHECK(values_of(cluster) == Values{policy == "sum" ? "10" : "5"});
    CHECK(cluster[0].conflicts().empty());
    settle(cluster);
  }
}

TEST_CASE("delete then re-insert, each after having seen the other, is no conflict, by any policy") {
  for (const auto& policy : policies_for(log::CellKind::Value)) {
    INFO(policy);
    Cluster cluster = values_under(policy);
    cluster[0].insert(value("5"));
    cluster[0].erase(value("5"));
    meet(cluster);
    cluster[1].insert(value("5"));
    meet(cluster);
    CHECK(values_of(cluster) == Values{"5"});
    CHECK(cluster[0].conflicts().empty());
    settle(cluster);
  }
  for (const auto& policy : policies_for(log::CellKind::Quad)) {
    INFO(policy);
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

TEST_CASE("a delete that arrives late or twice takes away nothing that had seen it, by any policy") {
  for (const auto& policy : policies_for(log::CellKind::Value)) {
    INFO(policy);
    Cluster cluster = values_under(policy, 3);
    cluster[0].insert(value("5"));
    meet(cluster);
    cluster[0].erase(value("5"));
    const log::ShippedChangeset late = cluster[0].last_changeset();
    cluster[1].pull(cluster[0]);
    cluster[1].insert(value("7"));
    cluster[2].pull(cluster[1]);
    cluster[2].apply({late, late});
    cluster[1].apply({late});
    meet(cluster);
    CHECK(values_of(cluster) == Values{"7"});
    settle(cluster);
  }
}

TEST_CASE("an insert of a quad that was there against a concurrent delete, and a delete of one that was not, count") {
  for (const bool was_there : {true, false}) {
    for (const auto& policy : policies_for(log::CellKind::Quad)) {
      INFO(policy);
      Cluster cluster(2, {}, policy);
      if (was_there) cluster[0].insert(quad);
      meet(cluster);
      for (auto& site : cluster.sites) site->clock.now += 1000;
      cluster[0].erase(quad);
      cluster[1].clock.now += 1000;
      cluster[1].insert(quad);
      meet(cluster);
      CHECK(cluster[0].has(quad) == (policy == "add-wins" || policy == "last-writer-wins"));
      CHECK(cluster[0].conflicts().size() == 1);
      settle(cluster);
    }
  }
}

TEST_CASE(
    "INSERT DATA of a value that a cell has and DELETE DATA of one that it lacks write no version, by any policy") {
  for (const auto& policy : policies_for(log::CellKind::Value)) {
    INFO(policy);
    Cluster cluster = values_under(policy);
    cluster[0].insert(value("5"));
    meet(cluster);
    CHECK(cluster[0].insert(value("5")).header.id.seq == 0);
    CHECK(cluster[0].erase(value("6")).header.id.seq == 0);
    cluster[1].insert(value("4"));
    meet(cluster);
    CHECK(values_of(cluster) == Values{"4"});
    CHECK(cluster[0].conflicts().empty());
    settle(cluster);
  }
}

TEST_CASE("a deletion against a change: max, min, sum, keep-all and union let the value live, others choose a site") {
  for (const auto& policy : policies_for(log::CellKind::Value)) {
    INFO(policy);
    Cluster cluster = values_under(policy);
    cluster[0].insert(value("10"));
    meet(cluster);
    cluster[0].erase(value("10"));
    cluster[1].clock.now += 1000;
    cluster[1].insert(value("12"));
    meet(cluster);
    const bool is_deleted = policy == "first-writer-wins" || policy == "site-priority";  // ams, which came first too
    CHECK(values_of(cluster) == (is_deleted ? Values{} : Values{"12"}));
    settle(cluster);
  }
}

TEST_CASE("CLEAR takes away what it saw: another quad stays, the same one goes by the policy, whichever it is") {
  for (const auto& policy : policies_for(log::CellKind::Quad)) {
    INFO(policy);
    Cluster cluster(2, {}, policy);
    const Triple other{"s", "p", "other"};
    cluster[0].insert({quad, {"s", "q", "o"}});
    meet(cluster);
    cluster[0].erase({quad, {"s", "q", "o"}});  // what CLEAR asserts
    cluster[1].clock.now += 1000;
    cluster[1].insert({quad, other});
    meet(cluster);
    CHECK(cluster[0].has(other));
    CHECK_FALSE(cluster[0].has({"s", "q", "o"}));
    CHECK(cluster[0].has(quad) == (policy == "add-wins" || policy == "last-writer-wins"));
    settle(cluster);
  }
}

TEST_CASE("two values of different types for one single-valued property converge to one on every site, by any policy") {
  for (const auto& policy : policies_for(log::CellKind::Value)) {
    INFO(policy);
    Cluster cluster = values_under(policy, 3);
    cluster[0].insert(value("7"));
    cluster[1].insert(value("\"seven"));
    cluster[2].insert(value("seven"));
    meet(cluster);
    CHECK(values_of(cluster).size() == (keeps_several(policy) ? 3 : 1));
    settle(cluster);
  }
}

TEST_CASE("what keep-all and union kept is replaced by a write of one value, also of one that is there") {
  for (const char* policy : {"keep-all", "union"}) {
    Cluster cluster = values_under(policy);
    cluster[0].insert(value("1"));
    cluster[1].insert(value("2"));
    meet(cluster);
    CHECK(values_of(cluster) == Values{"1", "2"});
    cluster[1].insert(value("1"));
    meet(cluster);
    CHECK(values_of(cluster) == Values{"1"});
    settle(cluster);
  }
}

TEST_CASE("site-priority goes by its argument, the same at every site") {
  for (const auto& [policy, expected] : std::vector<std::pair<std::string, std::string>>{
           {"site-priority", "1"}, {"site-priority(sgp, nyc)", "3"}, {"site-priority(tyo, nyc)", "2"}}) {
    Cluster cluster = values_under(policy, 3);
    for (size_t i = 0; i < 3; ++i) cluster[i].insert(value(std::to_string(i + 1)));
    meet(cluster);
    CHECK(values_of(cluster) == Values{expected});
    settle(cluster);
  }
}
