// Large changesets: their history in the window is a range, and nobody can tell.
#include <catch2/catch.hpp>

#include <random>

#include "log/changeset_codec.h"
#include "tests/reconcile/site_fixture.h"
#include "tests/reconcile/test_policies.h"

using namespace quadrille;
using test::Cluster;
using test::many_triples;
using test::rows_of;
using test::TestSite;
using test::Triple;

TEST_CASE("a large changeset takes no row a quad in the window, and folds at once when it is stable") {
  Cluster cluster(2);
  cluster[0].insert(many_triples(20'000));
  cluster[1].pull(cluster[0]);
  for (auto& site : cluster.sites) {
    CHECK(site->store->snapshot()->window_cell_count() == 20'000);
    CHECK(site->store->verify().empty());
    CHECK(rows_of(*site, "log.window") == 0);
    CHECK(rows_of(*site, "log.operations") == 0);
    CHECK(rows_of(*site, "log.bulk") < 200);
  }
  CHECK(cluster[0].last_changeset().chunks == cluster[1].last_changeset().chunks);
  cluster[0].hear(cluster[1].heartbeat());
  cluster[0].fold(1);
  CHECK(cluster[0].store->snapshot()->window_cell_count() == 0);
  cluster.quiet();
  CHECK(cluster[0].text() == cluster[1].text());
  CHECK(rows_of(cluster[0], "log.bulk") <= 5);  // its log, until there is a later changeset
  cluster[0].insert(Triple{"s", "p", "o"});
  cluster.quiet();
  for (auto& site : cluster.sites) {
    CHECK(rows_of(*site, "log.bulk") == 0);
    CHECK(site->store->verify().empty());
  }
}

TEST_CASE("what is written over a large changeset, here or elsewhere, meets the history that it would without ranges") {
  for (const bool with_ranges : {false, true}) {
    for (const std::string policy : {"add-wins", "delete-wins", "last-writer-wins"}) {
      INFO(policy << ", ranges: " << with_ranges);
      Cluster cluster(2, {}, policy);
      if (!with_ranges) {
        for (auto& site : cluster.sites) site->set_large_changeset_min(1'000'000);
      }
      // nyc deletes every fifth of what is there and of what ams is about to write, which neither has seen.
      std::vector<Triple> fifths;
      for (int i = 0; i < 30'000; i += 5) fifths.push_back(many_triples(1, i).front());
      cluster[0].insert(many_triples(3'000));
      cluster[1].pull(cluster[0]);
      cluster[1].clock.now += 7;
      cluster[1].erase({fifths.begin(), fifths.begin() + 500});
      cluster[0].insert(many_triples(20'000));
      cluster.exchange();
      CHECK(cluster[0].text() == cluster[1].text());
      CHECK(cluster[0].conflicts().size() == 500);
      CHECK(cluster[0].conflicts() == cluster[1].conflicts());
      CHECK(cluster[0].store->snapshot()->window_cell_count() == 20'000);
      // Seen by all: no conflicts.
      cluster[0].erase(fifths);
      cluster[1].pull(cluster[0]);
      CHECK(cluster[0].store->verify().empty());
      CHECK(cluster[1].store->verify().empty());
      CHECK(cluster[1].conflicts().size() == 500);
      CHECK(cluster[0].store->snapshot()->quad_count() == 16'000);
      cluster.quiet();
      CHECK(cluster[0].text() == cluster[1].text());
      CHECK(cluster[0].store->snapshot()->window_cell_count() == 0);
    }
  }
}

TEST_CASE("two sites that load the same without having seen each other agree, and so do deletions of all of it") {
  Cluster cluster(3);
  cluster[0].insert(many_triples(12'000));
  cluster[1].insert(many_triples(12'000, 6'000));
  cluster.exchange();
  for (auto& site : cluster.sites) {
    CHECK(site->text() == cluster[0].text());
    CHECK(site->store->snapshot()->quad_count() == 18'000);
    CHECK(site->store->verify().empty());
  }
  cluster[2].erase(many_triples(18'000));
  CHECK(rows_of(cluster[2], "log.window") == 6'000);  // of those that two had written
  cluster[1].pull(cluster[2]);
  CHECK(cluster[1].store->snapshot()->quad_count() == 0);
  CHECK(cluster[1].store->verify().empty());
  // Written anew, and not seen by sgp's deletion of it: one conflict a quad.
  cluster[0].insert(many_triples(12'000));
  cluster.exchange();
  CHECK(cluster[0].conflicts().size() == 12'000);
  cluster.quiet();
  for (auto& site : cluster.sites) {
    CHECK(site->text() == cluster[0].text());
    CHECK(site->store->snapshot()->quad_count() == 12'000);
    CHECK(site->store->snapshot()->window_cell_count() == 0);
    CHECK(site->conflicts() == cluster[0].conflicts());
    CHECK(site->store->verify().empty());
  }
}

TEST_CASE("a restart in the middle of the fold of a large changeset does not bring back what was folded") {
  Cluster cluster(2);
  cluster[0].insert(many_triples(12'000));
  cluster[1].pull(cluster[0]);
  cluster[1].erase(many_triples(4'000));
  cluster[0].pull(cluster[1]);
  cluster[0].hear(cluster[1].heartbeat());
  for (int step = 0; step < 5; ++step) {
    CHECK_FALSE(cluster[0].fold(700).is_done);
    cluster[0].reopen();
    CHECK(cluster[0].store->verify().empty());
    CHECK(cluster[0].store->snapshot()->quad_count() == 8'000);
  }
  // What is deleted now, while the range is half removed, has all of it as its base.
  cluster[0].erase(many_triples(8'000));
  CHECK(cluster[0].store->snapshot()->window_cell_count() >= 4'000);
  cluster.quiet();
  for (auto& site : cluster.sites) {
    CHECK(site->store->snapshot()->quad_count() == 4'000);
    CHECK(site->store->snapshot()->window_cell_count() == 0);
    CHECK(site->store->verify().empty());
  }
}

// The rows of all but one of the cells are gone, and the ranges of their older versions still stand, settled.
TEST_CASE("what a settled range says is no history of a cell whose row was folded") {
  Cluster cluster(2, {}, "history-hash", test::all_policies);
  TestSite& ams = cluster[0];
  TestSite& nyc = cluster[1];
  for (auto& site : cluster.sites) site->set_large_changeset_min(64);
  nyc.insert(Triple{"z", "p", "o"});
  ams.pull(nyc);
  ams.insert(many_triples(64));
  ams.erase(many_triples(64));
  nyc.pull(ams);
  nyc.insert(many_triples(63));
  ams.pull(nyc);
  ams.hear(nyc.heartbeat());
  CHECK_FALSE(ams.fold(64).is_done);
  CHECK(rows_of(ams, "log.window") == 0);
  ams.erase(many_triples(63));
  nyc.insert(many_triples(63));
  cluster.exchange();
  for (auto& site : cluster.sites) {
    CHECK(site->text() == ams.text());
    CHECK(site->store->verify().empty());
  }
  cluster.quiet();
  for (auto& site : cluster.sites) {
    CHECK(site->text() == ams.text());
    CHECK(site->conflicts() == ams.conflicts());
    CHECK(site->store->snapshot()->window_cell_count() == 0);
    CHECK(site->store->verify().empty());
  }
}

TEST_CASE("verify finds a range that lost quads, and a cell that a range says otherwise of") {
  Cluster cluster(2);
  cluster[0].insert(many_triples(12'000));
  cluster[1].pull(cluster[0]);
  cluster[0].damage([](store::Store&, store::Transaction& quads) {
    const store::Table bulk = quads.tables().open_table("log.bulk");
    std::string last;
    {
      store::Cursor cursor(quads.tables(), bulk);
      REQUIRE(cursor.last());
      last = cursor.key();
    }
    quads.tables().erase(bulk, last);
  });
  REQUIRE(cluster[0].store->verify().size() == 1);
  CHECK(cluster[0].store->verify().front().starts_with("window: the range of bulk 1 has "));
  cluster[1].damage(
      [](store::Store&, store::Transaction& quads) { quads.erase(ids_of(quads, many_triples(1, 77).front())); });
  REQUIRE(cluster[1].store->verify().size() == 1);
  CHECK(cluster[1].store->verify().front().find("holds other quads than its history") != std::string::npos);
}

TEST_CASE("a large changeset that is taken in step by step is seen at once, and as if it had come in one piece") {
  for (const std::string policy : {"add-wins", "delete-wins", "last-writer-wins"}) {
    INFO(policy);
    Cluster cluster(3, {test::single_value("v", "sum")}, policy);
    cluster[0].insert(many_triples(3'000));
    cluster[0].insert(Triple{"s", "v", "5"});
    cluster.exchange();
    // ams: deletes a part, adds much, changes a value. nyc, meanwhile: other things with the same cells.
    cluster[0].clock.now += 5;
    cluster[0].update([](model::QuadTarget& target) -> base::Result<void> {
      for (const Triple& triple : many_triples(1'000)) target.erase(ids_of(target, triple));
      for (const Triple& triple : many_triples(20'000, 2'000)) target.insert(ids_of(target, triple));
      target.insert(ids_of(target, Triple{"s", "v", "7"}));
      return {};
    });
    cluster[1].insert(Triple{"s", "v", "6"});
    cluster[1].erase(many_triples(700, 2'600));
    const std::string before = cluster[1].text();
    const auto staged = cluster[1].store->stage(cluster[0].last_changeset());
    CHECK_FALSE(cluster[1].take_step(*staged));
    CHECK(cluster[1].text() == before);
    int steps = 2;
    for (; !cluster[1].take_step(*staged); ++steps) {
      // Quads of the changeset, and others, come and go between its steps, some twice.
      cluster[1].insert(many_triples(20, 4'000 + 30 * steps));
      cluster[1].erase(many_triples(10, 4'000 + 30 * steps));
      cluster[1].erase(many_triples(5, 2'000 + 10 * steps));
      CHECK(cluster[1].store->snapshot()->version_vector().at(cluster[0].id()) == 2);
    }
    CHECK(steps > 8);
    CHECK(cluster[1].store->verify().empty());
    cluster[2].apply({cluster[0].last_changeset()});
    cluster[2].pull(cluster[1]);
    CHECK(cluster[2].text() == cluster[1].text());
    CHECK(cluster[2].conflicts() == cluster[1].conflicts());
    CHECK(cluster[1].conflicts().size() > 500);
    CHECK(cluster[1].last_changeset().header.id.origin == cluster[0].id());
    CHECK(cluster[1].last_changeset().chunks == cluster[0].last_changeset().chunks);
    cluster.quiet();
    for (auto& site : cluster.sites) {
      CHECK(site->text() == cluster[0].text());
      CHECK(site->conflicts() == cluster[0].conflicts());
      CHECK(site->store->snapshot()->window_cell_count() == 0);
      CHECK(site->store->verify().empty());
    }
  }
}

TEST_CASE("a large changeset that is no good, or given up, leaves nothing behind") {
  Cluster cluster(2);
  cluster[0].insert(many_triples(20'000));
  const log::ShippedChangeset good = cluster[0].last_changeset();
  // One that its hash betrays at once, and one that is found out when all of it has been read.
  log::ShippedChangeset altered = good;
  altered.chunks[2][40] = static_cast<char>(altered.chunks[2][40] ^ 1);
  log::ShippedChangeset miscounted = good;
  ++miscounted.header.operation_count;
  log::ChangesetHasher hasher;
  for (const std::string& chunk : miscounted.chunks) hasher.add_chunk(chunk);
  miscounted.header.hash = hasher.finish({}, miscounted.header);
  TestSite& nyc = cluster[1];
  // A site that stops in the middle leaves some; giving up leaves none, and so does the next opening.
  const auto rows_left = [&] { return nyc.rows_as_they_lie({"log.bulk", "log.bulks", "quads.gspo", "quads.spog"}); };
  const auto give_up = [&](reconcile::StagedChangeset& staged) {
    auto group = nyc.store->begin().value();
    while (!group->give_up(staged).value()) {
    }
    CHECK(group->commit().ok());
  };
  for (const auto& [bad, is_found_late] : {std::pair(altered, false), std::pair(miscounted, true)}) {
    auto refused = nyc.store->stage(bad);
    int steps = 0;
    base::Result<std::optional<reconcile::ApplyReport>> step = std::optional<reconcile::ApplyReport>();
    for (;; ++steps) {
      auto group = nyc.store->begin().value();
      step = group->apply_step(*refused);
      if (!step.ok()) break;
      REQUIRE(group->commit().ok());
    }
    CHECK((steps > 3) == is_found_late);
    CHECK(step.error().kind == base::ErrorKind::InvalidInput);
    give_up(*refused);
    nyc.compact();
    refused.reset();
    CHECK(rows_left() == 0);
  }
  for (const bool by_restart : {false, true}) {
    auto staged = nyc.store->stage(good);
    for (int step = 0; step < 9; ++step) CHECK_FALSE(nyc.take_step(*staged));
    CHECK(nyc.text().empty());
    if (by_restart) {
      staged.reset();
      CHECK(rows_left() > 0);  // and opens the site
    } else {
      give_up(*staged);
      nyc.compact();
      staged.reset();
    }
    CHECK(rows_left() == 0);
    CHECK(nyc.store->verify().empty());
  }
  nyc.pull(cluster[0]);
  CHECK(nyc.text() == cluster[0].text());
}

// A bulk and a run of a step that was not committed leave their numbers to the next ones.
TEST_CASE("a large changeset that is given up after a failed commit takes nothing from the one that came after it") {
  int steps = 0;
  for (int failing = 0; failing == 0 || failing < steps - 1; ++failing) {
    INFO("the step after " << failing << " fails");
    Cluster cluster(2);
    for (auto& site : cluster.sites) site->set_large_changeset_min(1'000);
    cluster[0].insert(many_triples(6'000));
    const auto first = cluster[1].store->stage(cluster[0].last_changeset());
    for (int step = 0; step < failing; ++step) CHECK_FALSE(cluster[1].take_step(*first));
    {
      auto group = cluster[1].store->begin().value();
      REQUIRE(group->apply_step(*first).ok());  // and the commit fails
    }
    const auto second = cluster[1].store->stage(cluster[0].last_changeset());
    for (steps = 0; steps <= failing; ++steps) CHECK_FALSE(cluster[1].take_step(*second));
    {
      auto group = cluster[1].store->begin().value();
      while (!group->give_up(*first).value()) {
      }
      CHECK(group->commit().ok());
    }
    cluster[1].compact();
    for (bool is_in = false; !is_in; ++steps) is_in = cluster[1].take_step(*second);
    CHECK(cluster[1].text() == cluster[0].text());
    CHECK(cluster[1].store->verify().empty());
  }
  CHECK(steps > 8);
}
