// Policies that read other quads. DESIGN section 4: "must decide the same everywhere"; reconcile/replay.h.
#include <catch2/catch.hpp>

#include "tests/reconcile/site_fixture.h"
#include "tests/reconcile/test_policies.h"

using namespace quadrille;
using test::Cluster;
using test::TestSite;
using test::Triple;

namespace {

using Strings = std::vector<std::string>;

reconcile::QuadPattern value_of(const model::Term& subject, const std::string& property) {
  return {{}, subject, test::term_of(property), {}, true};
}

// The largest of the candidates that is not what the other property holds.
class UnlikeOther final : public test::TestPolicy {
 public:
  std::string_view name() const override { return "unlike"; }
  bool reads_context() const override { return true; }
  std::string_view fallback() const override { return "last-writer-wins"; }
  base::Result<void> check_argument(std::string_view) const override { return {}; }
  reconcile::Decision resolve(const reconcile::Conflict& conflict) const override {
    const auto others = conflict.context->match(value_of(conflict.cell.subject, conflict.argument));
    reconcile::Content best;
    for (const reconcile::Version& version : conflict.versions) {
      if (version.left.empty()) continue;
      const bool is_taken = std::any_of(others.begin(), others.end(), [&](const model::TermQuad& other) {
        return other.object == version.left.front().object;
      });
      if (!is_taken && (best.empty() || best.front().object < version.left.front().object)) best = version.left;
    }
    return {best};
  }
};

// What the cell held before.
class KeepsBase final : public test::TestPolicy {
 public:
  std::string_view name() const override { return "keeps-base"; }
  bool reads_context() const override { return true; }
  std::string_view fallback() const override { return "last-writer-wins"; }
  reconcile::Decision resolve(const reconcile::Conflict& conflict) const override { return {conflict.base}; }
};

reconcile::PolicyRegistry registry() {
  reconcile::PolicyRegistry all = test::sound_policies();
  QUADRILLE_CHECK(all.add(std::make_shared<KeepsBase>()).ok(), "two policies of one name");
  QUADRILLE_CHECK(all.add(std::make_shared<UnlikeOther>()).ok(), "two policies of one name");
  return all;
}

// Two properties, each of which goes by the other.
Cluster sites(size_t count) {
  return Cluster(count, {test::single_value("v", "unlike(w)"), test::single_value("w", "unlike(v)")}, "add-wins",
                 registry);
}

uint64_t provisional(const TestSite& site) { return site.store->snapshot()->provisional_outcome_count(); }

// Two values for each property, written against each other.
void write_against(Cluster& cluster) {
  cluster[0].insert(Triple{"s", "v", "5"});
  cluster[1].insert(Triple{"s", "v", "7"});
  cluster[0].insert(Triple{"s", "w", "7"});
  cluster[1].insert(Triple{"s", "w", "4"});
}

}  // namespace

TEST_CASE("two policies that read each other's cells leave the same at all sites") {
  Cluster cluster = sites(3);
  write_against(cluster);
  cluster.exchange();
  cluster.quiet();
  for (auto& site : cluster.sites) {
    CHECK(site->values("s", "v") == Strings{"7"});  // w held nothing yet when that was settled
    CHECK(site->values("s", "w") == Strings{"4"});  // as v holds 7
    CHECK(site->conflicts() == cluster[0].conflicts());
    CHECK(site->store->snapshot()->window_cell_count() == 0);
    CHECK(provisional(*site) == 0);
    CHECK(site->store->verify().empty());
  }
}

TEST_CASE("until all members have told that nothing older comes the fallback decides, and that is counted") {
  Cluster cluster = sites(3);
  cluster[0].insert(Triple{"s", "v", "9"});
  cluster[1].clock.now += 10;
  cluster[1].insert(Triple{"s", "v", "3"});
  for (const size_t place : {0, 1}) {
    TestSite& site = cluster[place];
    site.pull(cluster[1 - place]);
    site.fold();
    CHECK(site.values("s", "v") == Strings{"3"});  // the last writer's
    CHECK(provisional(site) == 1);
    REQUIRE(site.conflicts().size() == 1);
    CHECK(site.conflicts().front().policy == "unlike(w)");
    CHECK(site.conflicts().front().fallback == "last-writer-wins");
  }
  CHECK(cluster[0].stability->least_heard() == "sgp");  // which has never said a word
  cluster[0].hear(cluster[1].heartbeat());
  cluster[0].fold();
  CHECK(provisional(cluster[0]) == 1);
  cluster[2].clock.now += 20;
  cluster[0].hear(cluster[2].heartbeat());     // has nothing, and will write nothing older than that
  CHECK(cluster[0].fold().cells_folded == 0);  // not every member is known to have it
  CHECK(cluster[0].values("s", "v") == Strings{"9"});
  CHECK(provisional(cluster[0]) == 0);
  CHECK(cluster[0].conflicts().front().fallback.empty());
  CHECK(cluster[1].values("s", "v") == Strings{"3"});
  cluster.quiet();
  for (auto& site : cluster.sites) CHECK(site->values("s", "v") == Strings{"9"});
}

TEST_CASE("what a policy reads is what was settled at that moment, whatever has come in since") {
  Cluster cluster = sites(2);
  write_against(cluster);
  cluster[0].clock.now += 100;
  cluster[0].insert(Triple{"s", "w", "1"});  // later than all conflicts: must not be seen by their decisions
  cluster[1].pull(cluster[0]);
  cluster[1].clock.now += 200;
  cluster[1].insert(Triple{"s", "x", "1"});
  cluster.exchange();
  cluster.quiet();
  for (auto& site : cluster.sites) {
    CHECK(site->values("s", "v") == Strings{"7"});
    CHECK(site->conflicts() == cluster[0].conflicts());
  }
}

TEST_CASE("a version that comes late makes the policy decide again, by what was settled then") {
  Cluster cluster = sites(3);
  cluster[2].clock.now += 50;
  cluster[2].insert(Triple{"s", "v", "8"});  // concurrent with all, and newer
  write_against(cluster);
  cluster[0].pull(cluster[1]);
  cluster[0].hear(cluster[1].heartbeat());
  cluster[0].hear(cluster[2].heartbeat());  // names what is not here: does not count
  cluster[0].fold();
  CHECK(provisional(cluster[0]) == 2);
  cluster.exchange();
  cluster.quiet();
  for (auto& site : cluster.sites) {
    CHECK(site->values("s", "v") == Strings{"8"});
    CHECK(site->store->snapshot()->window_cell_count() == 0);
    CHECK(site->conflicts() == cluster[0].conflicts());
  }
}

TEST_CASE("what was decided and has not folded survives a restart") {
  Cluster cluster = sites(3);
  write_against(cluster);
  cluster.exchange();
  for (const size_t other : {1, 2}) cluster[0].hear(cluster[other].heartbeat());
  cluster[0].insert(Triple{"s", "x", "1"});  // so that there is something that is not stable
  cluster[0].fold();
  const std::string before = cluster[0].text();
  const auto records = cluster[0].conflicts();
  cluster[0].reopen();
  CHECK(cluster[0].text() == before);
  CHECK(cluster[0].conflicts() == records);
  CHECK(cluster[0].store->verify().empty());
  cluster.quiet();
  CHECK(cluster[0].text() == cluster[1].text());
  CHECK(cluster[0].conflicts() == cluster[1].conflicts());
}

TEST_CASE("nothing folds that has not been replayed, whatever is known to be everywhere") {
  Cluster cluster = sites(2);
  write_against(cluster);
  cluster.exchange();
  auto group = cluster[0].store->begin().value();
  const auto report = group->fold({group->version_vector(), {}}, 1'000).value();
  CHECK(report.cells_folded == 0);
  CHECK(report.waits_for_stamp);
  CHECK(report.folded.entries().empty());
}

TEST_CASE("what a policy of this kind answers wrongly, the context-free fallback of all policies decides") {
  Cluster cluster(2, {test::single_value("v", "context-throws")}, "add-wins", [] {
    class Throws final : public test::TestPolicy {
     public:
      std::string_view name() const override { return "context-throws"; }
      bool reads_context() const override { return true; }
      std::string_view fallback() const override { return "max"; }
      reconcile::Decision resolve(const reconcile::Conflict&) const override { throw std::runtime_error("no idea"); }
    };
    reconcile::PolicyRegistry all = policies::built_in();
    QUADRILLE_CHECK(all.add(std::make_shared<Throws>()).ok(), "two policies of one name");
    return all;
  });
  cluster[0].insert(Triple{"s", "v", "9"});
  cluster[1].clock.now += 10;
  cluster[1].insert(Triple{"s", "v", "3"});
  cluster.exchange();
  CHECK(cluster[0].values("s", "v") == Strings{"9"});
  cluster.quiet();
  for (auto& site : cluster.sites) {
    CHECK(site->values("s", "v") == Strings{"3"});
    REQUIRE(site->conflicts().size() == 1);
    CHECK(site->conflicts().front().failure == "no idea");
    CHECK_FALSE(site->conflicts().front().is_provisional);
  }
}

// nyc knows that everybody has p's first two values, and has a third that sgp and tyo lack. It may not let go of the
// one that only the third has seen: a policy that sgp assigns later looks at a moment before the third.
TEST_CASE("no version leaves that a policy assigned later may still have to look at") {
  Cluster cluster(4, {test::single_value("p", "last-writer-wins")}, "add-wins", registry);
  TestSite& ams = cluster[0];
  TestSite& nyc = cluster[1];
  TestSite& sgp = cluster[2];
  TestSite& tyo = cluster[3];
  nyc.insert(Triple{"s", "p", "1"});
  ams.clock.now += 10;
  ams.insert(Triple{"s", "p", "2"});
  for (TestSite* other : {&sgp, &tyo}) {
    other->pull(ams);
    other->pull(nyc);
  }
  ams.clock.now += 100;
  ams.insert(Triple{"s", "p", "3"});
  ams.pull(nyc);
  nyc.pull(ams);
  for (TestSite* other : {&ams, &sgp, &tyo}) nyc.hear(other->heartbeat());
  nyc.fold();
  for (TestSite* other : {&sgp, &tyo}) other->clock.now += 20;
  sgp.assign({{test::single_value("p", "last-writer-wins"), test::single_value("v", "unlike(p)")}, "add-wins"});
  tyo.pull(sgp);
  sgp.insert(Triple{"s", "v", "2"});
  tyo.insert(Triple{"s", "v", "1"});
  for (int round = 0; round < 2; ++round) cluster.quiet();
  for (auto& site : cluster.sites) {
    CHECK(site->values("s", "p") == Strings{"3"});
    CHECK(site->values("s", "v") == Strings{"1"});  // p held 2 then
    CHECK(site->store->snapshot()->window_cell_count() == 0);
  }
}

TEST_CASE("where cells change, what comes late under the older ones lies below what was decided under the newer") {
  Cluster cluster(3, {}, "add-wins", registry);
  cluster[1].assign({{test::single_value("v", "keeps-base")}, "add-wins"});
  cluster[2].pull(cluster[1]);
  cluster[1].insert(Triple{"s", "v", "1"});
  cluster[2].insert(Triple{"s", "v", "2"});
  cluster[0].clock.now += 100;
  cluster[0].insert(Triple{"s", "v", "3"});  // knows nothing of the assignment
  for (int round = 0; round < 2; ++round) cluster.quiet();
  for (auto& site : cluster.sites) {
    CHECK(site->values("s", "v") == Strings{"3"});
    CHECK(site->store->snapshot()->window_cell_count() == 0);
    CHECK(site->store->verify().empty());
  }
}
