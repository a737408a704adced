// What might make sites replay differently, or never come to an end: reconcile/replay.h.
#include <catch2/catch.hpp>

#include "log/changeset_codec.h"
#include "tests/reconcile/site_fixture.h"
#include "tests/reconcile/test_policies.h"

using namespace quadrille;
using test::Cluster;
using test::TestSite;
using test::Triple;

namespace {

using Strings = std::vector<std::string>;

// Tells what the subject's other property held.
class Tells final : public test::TestPolicy {
 public:
  std::string_view name() const override { return "tells"; }
  bool reads_context() const override { return true; }
  std::string_view fallback() const override { return "last-writer-wins"; }
  base::Result<void> check_argument(std::string_view) const override { return {}; }
  reconcile::Decision resolve(const reconcile::Conflict& conflict) const override {
    std::string text = "told";
    for (const auto& quad :
         conflict.context->match({{}, conflict.cell.subject, test::term_of(conflict.argument), {}, true})) {
      text += " " + quad.object.text();
    }
    return {{{conflict.cell.property, model::Term::literal(text)}}};
  }
};

reconcile::PolicyRegistry registry() {
  reconcile::PolicyRegistry all = test::sound_policies();
  QUADRILLE_CHECK(all.add(std::make_shared<Tells>()).ok(), "two policies of one name");
  return all;
}

constexpr int64_t start = 2'000'000;
void write_at(TestSite& site, int64_t at, const Triple& triple) {
  site.clock.now = start + at;
  site.insert(triple);
}
reconcile::Heartbeat heartbeat_at(TestSite& site, int64_t at) {
  site.clock.now = start + at;
  return site.heartbeat();
}

uint64_t provisional_count(const TestSite& site) { return site.store->snapshot()->provisional_outcome_count(); }

void settle_all(Cluster& cluster, int64_t at) {
  for (auto& site : cluster.sites) site->clock.now = start + at;
  for (int round = 0; round < 2; ++round) cluster.quiet();
}

}  // namespace

// Of p, ams lets the first addition go, as the two newest versions have both seen it. But one of these is not settled,
// and the conflict over v is decided by what p was before it: there is a version then that had not seen it.
TEST_CASE("no version leaves a sum that it counts in at a moment that is yet to be replayed") {
  Cluster cluster(3, {test::single_value("p", "sum"), test::single_value("v", "tells(p)")}, "add-wins", registry);
  TestSite& ams = cluster[0];
  TestSite& nyc = cluster[1];
  TestSite& sgp = cluster[2];
  write_at(ams, 0, {"s", "p", "10"});
  settle_all(cluster, 1);
  write_at(ams, 10, {"s", "p", "11"});
  write_at(nyc, 11, {"s", "p", "20"});
  sgp.pull(ams);
  write_at(ams, 12, {"s", "p", "111"});
  sgp.pull(nyc);
  write_at(sgp, 16, {"s", "v", "2"});
  write_at(sgp, 20, {"s", "p", "1021"});
  nyc.pull(ams, 1);
  ams.pull(sgp);
  ams.pull(nyc);
  ams.hear(heartbeat_at(nyc, 15));
  ams.fold();
  write_at(nyc, 17, {"s", "v", "1"});
  settle_all(cluster, 100);
  for (auto& site : cluster.sites) {
    CHECK(site->values("s", "v") == Strings{"told 121"});
    CHECK(site->values("s", "p") == cluster[0].values("s", "p"));
    CHECK(site->conflicts() == cluster[0].conflicts());
  }
}

// nyc assigns other cells to p after it has replayed a write of p. ams knows of that before it replays the write: r,
// which has been in other cells before, must not be decided again for it.
TEST_CASE("what is decided again does not depend on which later assignments are known already") {
  using log::CellKind;
  Cluster cluster(3, {}, "add-wins", registry);
  TestSite& ams = cluster[0];
  TestSite& nyc = cluster[1];
  TestSite& sgp = cluster[2];
  ams.clock.now = start;
  ams.assign({{test::single_value("r", "tells(x)")}, "add-wins"});
  nyc.pull(ams);
  write_at(ams, 10, {"s", "r", "1"});
  write_at(nyc, 11, {"s", "r", "2"});
  ams.pull(nyc);
  nyc.pull(ams);
  const auto early = heartbeat_at(sgp, 50);
  for (TestSite* site : {&ams, &nyc}) site->hear(early);
  ams.hear(heartbeat_at(nyc, 40));
  nyc.hear(heartbeat_at(ams, 40));
  ams.fold();
  nyc.fold();
  CHECK(ams.values("s", "r") == Strings{"told"});
  CHECK(nyc.values("s", "r") == Strings{"told"});
  write_at(ams, 60, {"s", "x", "5"});
  nyc.pull(ams);
  write_at(nyc, 70, {"s", "p", "1"});
  const auto later = heartbeat_at(sgp, 75);
  nyc.hear(later);
  nyc.hear(heartbeat_at(ams, 75));
  nyc.fold();
  nyc.clock.now = start + 80;
  nyc.assign({{test::single_value("r", "tells(x)"), test::single_value("p", "last-writer-wins")}, "add-wins"});
  ams.pull(nyc);
  ams.hear(later);
  ams.hear(heartbeat_at(nyc, 81));
  ams.fold();
  settle_all(cluster, 200);
  for (auto& site : cluster.sites) {
    CHECK(site->values("s", "r") == Strings{"told"});
    CHECK(site->conflicts() == cluster[0].conflicts());
  }
}

TEST_CASE("nothing is remembered of decisions when all has folded, also where another policy took over") {
  Cluster cluster(2, {test::single_value("v", "tells(x)")}, "add-wins", registry);
  write_at(cluster[0], 0, {"s", "v", "1"});
  write_at(cluster[1], 1, {"s", "v", "2"});
  cluster[0].clock.now = start + 10;
  cluster[0].assign({{test::single_value("v", "last-writer-wins")}, "add-wins"});
  write_at(cluster[0], 20, {"s", "v", "4"});
  settle_all(cluster, 100);
  for (auto& site : cluster.sites) {
    CHECK(site->values("s", "v") == Strings{"4"});
    CHECK(site->store->snapshot()->window_cell_count() == 0);
    CHECK(site->rows_as_they_lie({"reconcile.outcomes", "reconcile.awaiting"}) == 0);
  }
}

// Else it is replayed before what it depends on, and what is decided then is not what folds: no site could fold any
// more.
TEST_CASE("a changeset with a stamp that is not above those of all that it depends on is refused") {
  Cluster cluster(4, {test::single_value("v", "tells(x)")}, "add-wins", registry);
  write_at(cluster[0], 90, {"s", "v", "1"});
  write_at(cluster[1], 100, {"s", "v", "2"});
  cluster[2].pull(cluster[0]);
  cluster[2].pull(cluster[1]);
  write_at(cluster[2], 110, {"s", "v", "3"});
  log::ShippedChangeset forged = cluster[2].last_changeset();
  forged.header.stamp = {start + 60, 0};
  log::ChangesetHasher hasher;
  for (const std::string& chunk : forged.chunks) hasher.add_chunk(chunk);
  forged.header.hash = hasher.finish({}, forged.header);
  TestSite& tyo = cluster[3];
  tyo.pull(cluster[0]);
  tyo.pull(cluster[1]);
  CHECK_THROWS_WITH(tyo.apply({forged}), Catch::Contains("has a stamp that is not above that of ams"));
  for (const size_t other : {0, 1}) {
    cluster[other].pull(cluster[1 - other]);
    tyo.hear(heartbeat_at(cluster[other], 200));
  }
  cluster[2].clock.now = start + 200;
  tyo.hear(cluster[2].heartbeat());
  CHECK_NOTHROW(tyo.fold());
}

TEST_CASE("what a policy looks at counts as work: a step of replay comes to its end") {
  struct LooksAtAll final : test::TestPolicy {
    std::string_view name() const override { return "looks-at-all"; }
    bool reads_context() const override { return true; }
    std::string_view fallback() const override { return "last-writer-wins"; }
    reconcile::Decision resolve(const reconcile::Conflict& conflict) const override {
      conflict.context->match({{}, {}, test::term_of("v"), {}, false});
      return {conflict.versions.front().left};
    }
  };
  const auto make_policies = [] {
    reconcile::PolicyRegistry all = policies::built_in();
    QUADRILLE_CHECK(all.add(std::make_shared<LooksAtAll>()).ok(), "two policies of one name");
    return all;
  };
  const bool is_hot = GENERATE(false, true);
  CAPTURE(is_hot);
  Cluster cluster(2, {test::single_value("v", "looks-at-all")}, "add-wins", make_policies);
  constexpr int count = 150;
  for (int i = 0; i < count; ++i) {
    for (const size_t site : {0, 1}) {
      const std::string subject = is_hot ? "s" : "s" + std::to_string(i);
      write_at(cluster[site], 10 * i + static_cast<int>(site), {subject, "v", std::to_string(i)});
    }
  }
  cluster[0].pull(cluster[1]);
  cluster[0].hear(heartbeat_at(cluster[1], 10 * count));
  size_t steps = 0;
  while (!cluster[0].fold(2 * count + 1).is_done) ++steps;  // one step for the operations alone
  CHECK(steps > 5);
  CHECK(provisional_count(cluster[0]) == 0);
}
