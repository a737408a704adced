// Policies that check local updates. DESIGN section 4; reconcile/policy.h, check().
#include <catch2/catch.hpp>

#include "tests/reconcile/site_fixture.h"
#include "tests/reconcile/test_policies.h"

using namespace quadrille;
using test::Cluster;
using test::Triple;

namespace {

// The first number that is left counts. Refuses what is no number; completes 13 to 12; lets 9 be a failure of its own.
class NoThirteen final : public test::TestPolicy {
 public:
  std::string_view name() const override { return "no-thirteen"; }
  bool checks_local_changes() const override { return true; }
  reconcile::LocalDecision check(const reconcile::LocalChange& change) const override {
    if (change.left.empty()) return {};
    const model::Term& object = change.left.front().object;
    if (object.text() == "9") throw std::runtime_error("nine");
    if (object.is_iri()) return {.refused = "expected a number", .completed = {}};
    if (object.text() != "13") return {};
    if (change.cell.kind == log::CellKind::Quad) return {.refused = {}, .completed = reconcile::Content{}};
    return {.refused = {}, .completed = reconcile::Content{{change.cell.property, test::term_of("12")}}};
  }
  reconcile::Decision resolve(const reconcile::Conflict& conflict) const override {
    return {conflict.versions.back().left};
  }
};

reconcile::PolicyRegistry policies_with_check() {
  reconcile::PolicyRegistry registry = test::all_policies();
  QUADRILLE_CHECK(registry.add(std::make_shared<NoThirteen>()).ok(), "two policies of one name");
  return registry;
}

Cluster checked_values() {
  return Cluster(2, {test::single_value("v", "no-thirteen")}, "add-wins", policies_with_check);
}

Cluster checked_quads() {
  return Cluster(2, {{{"*"}, {"http://e/v"}, log::CellKind::Quad, "", "no-thirteen"}}, "add-wins", policies_with_check);
}

std::string why_refused(test::TestSite& site, const Triple& triple) {
  const auto refused = site.try_update([&](model::QuadTarget& target) -> base::Result<void> {
    target.insert(test::ids_of(target, {"other", "p", "o"}));
    target.insert(test::ids_of(target, triple));
    return {};
  });
  if (refused.ok()) return "it was not";
  CHECK(refused.error().kind == base::ErrorKind::Refused);
  return refused.error().message;
}

}  // namespace

TEST_CASE("a policy may refuse a local update, and then nothing of the request is there") {
  for (auto make : {checked_values, checked_quads}) {
    Cluster cluster = make();
    CHECK(why_refused(cluster[0], {"s", "v", "word"}) ==
          "policy 'no-thirteen' refuses the change of <http://e/s> <http://e/v>: expected a number");
    CHECK(cluster[0].text().empty());
    CHECK(cluster[0].store->snapshot()->last_position() == 0);
  }
}

TEST_CASE("a policy may complete what a local update leaves, and that is what travels") {
  Cluster cluster = checked_values();
  cluster[0].insert(Triple{"s", "v", "13"});
  CHECK(cluster[0].values("s", "v") == std::vector<std::string>{"12"});
  cluster.exchange();
  CHECK(cluster[1].values("s", "v") == std::vector<std::string>{"12"});
  CHECK(cluster[0].store->verify().empty());
}

TEST_CASE("a quad that a policy completes to nothing is not inserted, and its deletion is what travels") {
  Cluster cluster = checked_quads();
  cluster[0].insert(Triple{"s", "v", "13"});
  cluster[0].insert(Triple{"s", "v", "14"});
  CHECK(cluster[0].values("s", "v") == std::vector<std::string>{"14"});
  cluster.exchange();
  CHECK(cluster[1].text() == cluster[0].text());
  CHECK(cluster[0].store->verify().empty());
}

TEST_CASE("a check that fails refuses the update, and says why") {
  Cluster cluster = checked_values();
  CHECK_THAT(why_refused(cluster[0], {"s", "v", "9"}), Catch::Contains("its check failed: nine"));
}

TEST_CASE("what comes from elsewhere is never checked") {
  Cluster cluster = checked_values();
  Cluster unchecked(2, {test::single_value("v", "last-writer-wins")});
  unchecked[0].insert(Triple{"s", "v", "13"});
  cluster[1].apply({unchecked[0].last_changeset()});
  CHECK(cluster[1].values("s", "v") == std::vector<std::string>{"13"});
}

TEST_CASE("final conflict records are bounded by their count and by their age") {
  Cluster cluster(2, {test::single_value("v", "last-writer-wins")});
  for (auto& site : cluster.sites) site->conflict_bounds = {.count_max = 3, .age_ms_max = 1'000};
  for (auto& site : cluster.sites) site->reopen();
  for (int i = 0; i < 5; ++i) {
    for (auto& site : cluster.sites) {
      site->clock.now += 10;
      site->insert(Triple{"s" + std::to_string(i), "v", site->id().name == "ams" ? "1" : "2"});
    }
  }
  cluster.quiet();
  for (auto& site : cluster.sites) {
    const auto records = site->conflicts();
    REQUIRE(records.size() == 3);
    CHECK(records.front().cell.subject == test::term_of("s2"));  // the oldest went
  }
  for (auto& site : cluster.sites) site->clock.now += 1'015;
  cluster[0].insert(Triple{"s", "p", "o"});
  cluster.quiet();
  for (auto& site : cluster.sites) CHECK(site->conflicts().size() <= 1);
}
