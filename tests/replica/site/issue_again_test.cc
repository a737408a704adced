// What an evicted site wrote that no member has, written again by a member. Real stores.
#include "replica/site/issue_again.h"

#include <catch2/catch.hpp>

#include "tests/reconcile/site_fixture.h"

using namespace quadrille;  // NOLINT
using Catch::Matchers::Contains;
using replica::IssuedAgain;
using test::single_value;
using test::TestSite;
using test::Triple;

namespace {

using Values = std::vector<std::string>;

// ams and nyc. What nyc writes last, ams has not when it evicts nyc.
struct Cut {
  test::Cluster cluster{2,
                        {single_value("balance", "sum"), single_value("name", "last-writer-wins"),
                         single_value("most", "max"), single_value("owner", "site-priority(ams, nyc)")}};
  TestSite& ams = cluster[0];
  TestSite& lost = cluster[1];

  static void set(TestSite& site, const std::string& property, const std::string& value) {
    const auto old = site.values("s", property);
    site.update([&](model::QuadTarget& target) -> base::Result<void> {
      for (const auto& each : old) target.erase(test::ids_of(target, {"s", property, each}));
      target.insert(test::ids_of(target, {"s", property, value}));
      return {};
    });
  }
  void evict() { REQUIRE(ams.evict(lost.id().name).ok()); }
  base::Result<IssuedAgain> issue() { return replica::issue_again(*lost.store, *ams.store, policies::built_in()); }
};

}  // namespace

TEST_CASE("what only an evicted site had is issued again: inserts, deletes, values and several writes of one") {
  Cut sites;
  sites.ams.insert(std::vector<Triple>{{"kept", "p", "o"}, {"gone", "p", "o"}});
  Cut::set(sites.ams, "balance", "10");
  sites.cluster.exchange();
  const auto shared = sites.lost.insert({"shared", "p", "o"});
  sites.cluster.exchange();
  sites.ams.erase({"shared", "p", "o"});  // ams had it: it is not issued again
  sites.lost.clock.now = 4'102'444'800'000;
  sites.lost.insert({"new", "p", "\"of 2100"});
  sites.lost.erase({"gone", "p", "o"});
  Cut::set(sites.lost, "balance", "12");
  Cut::set(sites.lost, "balance", "15");
  sites.evict();
  const auto issued = sites.issue();
  REQUIRE(issued.ok());
  CHECK(issued->changesets == 4);
  CHECK(issued->operations == 4);
  CHECK(issued->cells_left == 0);
  CHECK(sites.ams.has({"new", "p", "\"of 2100"}));
  CHECK(sites.ams.has({"kept", "p", "o"}));
  CHECK_FALSE(sites.ams.has({"gone", "p", "o"}));
  CHECK_FALSE(sites.ams.has({"shared", "p", "o"}));
  CHECK(sites.ams.values("s", "balance") == Values{"15"});
  // An update as any other, with a stamp of now.
  CHECK(issued->receipt.header.id.origin == sites.ams.id());
  CHECK(issued->receipt.header.stamp.physical_ms < shared.header.stamp.physical_ms + 60'000);
  CHECK(sites.ams.store->verify().empty());
}

TEST_CASE("where others have written a value since, its policy decides, if it does not matter who came first") {
  Cut sites;
  for (const char* property : {"balance", "name", "most", "owner"}) Cut::set(sites.ams, property, "10");
  sites.cluster.exchange();
  for (const char* property : {"balance", "name", "most", "owner"}) {
    Cut::set(sites.lost, property, "13");
    Cut::set(sites.ams, property, "11");
  }
  sites.evict();
  const auto issued = sites.issue();
  REQUIRE(issued.ok());
  CHECK(sites.ams.values("s", "balance") == Values{"14"});
  CHECK(sites.ams.values("s", "most") == Values{"13"});
  CHECK(sites.ams.values("s", "name") == Values{"11"});
  CHECK(issued->cells_left >= 1);
  CHECK(issued->left.size() == issued->cells_left);
  const auto names_name = [](const std::string& line) { return line.find("/name>") != std::string::npos; };
  const auto line = std::find_if(issued->left.begin(), issued->left.end(), names_name);
  REQUIRE(line != issued->left.end());
  CHECK_THAT(*line, Contains("was \"10\"") && Contains("became \"13\"") && Contains("is \"11\""));
}

TEST_CASE("only an evicted site of the same cluster is issued again") {
  Cut sites;
  sites.lost.insert({"new", "p", "o"});
  const auto refused = sites.issue();
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == base::ErrorKind::Refused);
  CHECK_THAT(refused.error().message, Contains("not evicted"));
  CHECK_FALSE(replica::issue_again(*sites.ams.store, *sites.ams.store, policies::built_in()).ok());
  CHECK(sites.ams.text().empty());
}
