// Quads that were lost or damaged at one site are put right from another: this is no change.
#include <catch2/catch.hpp>

#include "tests/reconcile/site_fixture.h"

using namespace quadrille;
using test::Cluster;
using test::single_value;
using test::TestSite;
using test::Triple;

namespace {

log::VersionVector hold_all(Cluster& cluster) {
  log::VersionVector cut;
  for (auto& site : cluster.sites) {
    auto group = site->store->begin().value();
    group->hold_folding(1, 3'600'000);
    REQUIRE(group->commit().ok());
    cut.merge(site->store->snapshot()->version_vector());
  }
  return cut;
}

void lose(TestSite& site, const Triple& triple) {
  site.damage([&](store::Store&, store::Transaction& quads) { REQUIRE(quads.erase(test::ids_of(quads, triple))); });
}
void make_up(TestSite& site, const Triple& triple) {
  site.damage([&](store::Store&, store::Transaction& quads) { REQUIRE(quads.insert(test::ids_of(quads, triple))); });
}

reconcile::RepairReport repair(TestSite& site, const log::VersionVector& cut, const std::vector<Triple>& to_insert,
                               const std::vector<Triple>& to_erase) {
  auto group = site.store->begin().value();
  const auto report = group->repair(cut, [&](model::QuadTarget& target) -> base::Result<void> {
    for (const Triple& triple : to_insert) target.insert(test::ids_of(target, triple));
    for (const Triple& triple : to_erase) target.erase(test::ids_of(target, triple));
    return {};
  });
  REQUIRE(report.ok());
  REQUIRE(group->commit().ok());
  return *report;
}

const Triple lost{"s", "p", "lost"};
const Triple made_up{"s", "p", "made-up"};

}  // namespace

TEST_CASE("a lost quad comes back and a made up one goes, and nothing of it is logged") {
  Cluster cluster(2);
  cluster[0].insert(lost);
  cluster.quiet();
  lose(cluster[1], lost);
  make_up(cluster[1], made_up);
  const log::VersionVector cut = hold_all(cluster);
  const auto report = repair(cluster[1], cut, {lost}, {made_up});
  CHECK(report.inserted == 1);
  CHECK(report.erased == 1);
  CHECK(report.left == 0);
  CHECK(cluster[1].text() == cluster[0].text());
  CHECK(cluster[1].store->snapshot()->version_vector() == cut);
  CHECK(cluster[1].store->verify().empty());
}

TEST_CASE("a concurrent delete of a repaired quad stays deleted, and a concurrent insert stays") {
  Cluster cluster(2);
  cluster[0].insert(lost);
  cluster.quiet();
  lose(cluster[1], lost);
  make_up(cluster[1], made_up);
  const log::VersionVector cut = hold_all(cluster);
  SECTION("made at the damaged site") {
    cluster[1].erase(lost);
    cluster[1].insert(made_up);
  }
  SECTION("come in from another one") {
    cluster[0].erase(lost);
    cluster[0].insert(made_up);
    cluster[1].pull(cluster[0]);
  }
  const auto report = repair(cluster[1], cut, {lost}, {made_up});
  CHECK(report.left == 0);
  CHECK_FALSE(cluster[1].has(lost));
  CHECK(cluster[1].has(made_up));
  cluster.exchange();
  CHECK(cluster[1].text() == cluster[0].text());
  CHECK(cluster[1].store->verify().empty());
}

TEST_CASE("a quad that is lost while its history is in the window comes back by that") {
  Cluster cluster(2);
  cluster[0].insert(lost);
  cluster.exchange();
  lose(cluster[1], lost);
  CHECK_FALSE(cluster[1].store->verify().empty());
  const auto report = repair(cluster[1], hold_all(cluster), {lost}, {});
  CHECK(report.inserted == 1);
  CHECK(cluster[1].store->verify().empty());
  CHECK(cluster[1].text() == cluster[0].text());
}

TEST_CASE("a value that was lost comes back under what was written since") {
  Cluster cluster(2, {single_value("count", "sum")});
  cluster[0].insert(Triple{"s", "count", "10"});
  cluster.quiet();
  lose(cluster[1], {"s", "count", "10"});
  const log::VersionVector cut = hold_all(cluster);
  SECTION("nothing") {
    CHECK(repair(cluster[1], cut, {{"s", "count", "10"}}, {}).left == 0);
    CHECK(cluster[1].values("s", "count") == std::vector<std::string>{"10"});
  }
  SECTION("an addition elsewhere") {
    cluster[0].update([](model::QuadTarget& target) -> base::Result<void> {
      target.erase(test::ids_of(target, {"s", "count", "10"}));
      target.insert(test::ids_of(target, {"s", "count", "17"}));
      return {};
    });
    cluster[1].pull(cluster[0]);
    CHECK(repair(cluster[1], cut, {{"s", "count", "10"}}, {}).left == 0);
    CHECK(cluster[1].values("s", "count") == std::vector<std::string>{"17"});
  }
  CHECK(cluster[1].store->verify().empty());
}

TEST_CASE("once folding has passed the cut nothing is put right by it") {
  Cluster cluster(2);
  cluster[0].insert(lost);
  const auto cut = cluster[0].store->snapshot()->version_vector();
  cluster[0].insert(Triple{"s", "p", "later"});
  cluster.quiet();
  auto group = cluster[1].store->begin().value();
  const auto report = group->repair(cut, [](model::QuadTarget&) -> base::Result<void> { return {}; });
  REQUIRE_FALSE(report.ok());
  CHECK(report.error().kind == base::ErrorKind::Refused);
}
