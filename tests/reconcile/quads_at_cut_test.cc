// What a site holds as of a cut, while it has more: so sites can be compared that are written to.
#include "reconcile/quads_at_cut.h"

#include <catch2/catch.hpp>

#include "engine/store/digest.h"
#include "tests/reconcile/site_fixture.h"
#include "tests/reconcile/test_policies.h"
#include "tests/support/seeded_random.h"

using namespace quadrille;
using test::Cluster;
using test::many_triples;
using test::SeededRandom;
using test::single_value;
using test::TestSite;
using test::Triple;

namespace {

void hold(TestSite& site, int64_t for_ms = 3'600'000) {
  auto group = site.store->begin().value();
  group->hold_folding(7, for_ms);
  REQUIRE(group->commit().ok());
}

// All sites hold, and the cut is what they have together.
log::VersionVector hold_all(Cluster& cluster) {
  log::VersionVector cut;
  for (auto& site : cluster.sites) {
    hold(*site);
    cut.merge(site->store->snapshot()->version_vector());
  }
  return cut;
}

std::string text_at(TestSite& site, const log::VersionVector& cut) {
  const auto quads = site.store->quads_at(cut).value();
  CHECK(quads->undecided_cells() == 0);
  std::set<std::string> lines;
  store::QuadTotals totals;
  quads->for_each_quad([&](const model::Quad& quad, const store::Digest& hash) {
    std::string line;
    for (const model::TermId id : {quad.graph, quad.subject, quad.predicate, quad.object}) {
      line += (id == model::TermId::default_graph() ? "-" : to_ntriples(quads->get_term(id))) + " ";
    }
    lines.insert(line + "\n");
    ++totals.quads;
    totals.digest.add(hash);
  });
  CHECK(quads->kept_totals() == totals);
  store::QuadTotals by_graph;
  for (const auto& graph : quads->kept_totals_by_graph(1000).value()) {
    by_graph.quads += graph.totals.quads;
    by_graph.digest.add(graph.totals.digest);
  }
  CHECK(by_graph == totals);
  std::string text;
  for (const auto& line : lines) text += line;
  return text;
}

std::vector<reconcile::AssignmentRule> rules_of_all_kinds() {
  std::vector<reconcile::AssignmentRule> rules = {single_value("lww", "last-writer-wins"), single_value("sum", "sum"),
                                                  single_value("all", "keep-all"), single_value("max", "max")};
  rules.push_back({{"*"}, {"http://e/street"}, log::CellKind::Record, "http://e/address", "last-writer-wins"});
  rules.push_back({{"*"}, {"http://e/town"}, log::CellKind::Record, "http://e/address", "last-writer-wins"});
  rules.push_back({{"*"}, {"http://e/dw"}, log::CellKind::Quad, "", "delete-wins"});
  return rules;
}

// Something of every kind, here and there with another graph.
void write_something(TestSite& site, SeededRandom& random) {
  const std::string subject = "s" + std::to_string(random.below(4));
  const std::vector<std::string> values = {"lww", "sum", "all", "max", "street", "town"};
  const std::vector<std::string> quads = {"p", "dw"};
  const auto work = [&](model::QuadTarget& target) -> base::Result<void> {
    for (uint64_t i = 0; i <= random.below(3); ++i) {
      const std::string object = std::to_string(random.below(5));
      const std::string graph = random.below(4) == 0 ? "g" : "";
      if (random.below(2) == 0) {
        const std::string property = values[random.below(values.size())];
        for (int old = 0; old < 5; ++old) {
          target.erase(test::ids_of(target, {subject, property, std::to_string(old), graph}));
        }
        if (random.below(5) > 0) target.insert(test::ids_of(target, {subject, property, object, graph}));
      } else {
        const model::Quad quad = test::ids_of(target, {subject, quads[random.below(quads.size())], object, graph});
        random.below(2) == 0 ? target.insert(quad) : target.erase(quad);
      }
    }
    return {};
  };
  site.clock.now += static_cast<int64_t>(random.below(5));
  static_cast<void>(site.try_update(work));
}

void live_a_while(Cluster& cluster, SeededRandom& random, int steps) {
  for (int step = 0; step < steps; ++step) {
    TestSite& site = cluster[random.below(cluster.size())];
    TestSite& other = cluster[random.below(cluster.size())];
    switch (random.below(8)) {
      case 0:
      case 1:
        if (&site != &other) site.pull(other, 1 + random.below(4));
        break;
      case 2: {
        const auto beat = site.heartbeat();
        if (&site != &other && other.store->snapshot()->version_vector().covers(beat.vector)) other.hear(beat);
        break;
      }
      case 3: site.fold(1 + random.below(20)); break;
      default: write_something(site, random);
    }
  }
}

}  // namespace

TEST_CASE("sites that went on in different ways hold the same as of a cut, whatever their cells and policies") {
  const uint64_t seeds = 60;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    INFO("seed " << seed);
    SeededRandom random(seed);
    Cluster cluster(3, rules_of_all_kinds());
    if (seed % 3 == 0) {
      for (auto& site : cluster.sites) site->set_large_changeset_min(2);
    }
    live_a_while(cluster, random, 60);
    const log::VersionVector cut = hold_all(cluster);
    // One site comes to hold just the cut; what it holds is the truth.
    std::string truth;
    for (size_t i = 1; i < cluster.size(); ++i) cluster[0].pull(cluster[i]);
    for (size_t i = 1; i < cluster.size(); ++i) cluster[0].pull(cluster[i]);
    REQUIRE(cluster[0].store->snapshot()->version_vector() == cut);
    truth = text_at(cluster[0], cut);
    live_a_while(cluster, random, 60);
    cluster.exchange();
    live_a_while(cluster, random, 20);
    for (auto& site : cluster.sites) CHECK(text_at(*site, cut) == truth);
    for (auto& site : cluster.sites) CHECK(site->store->verify().empty());
  }
}

TEST_CASE("a site that lacks some of the cut, or has folded past it, says so") {
  Cluster cluster(2);
  cluster[0].insert(Triple{"s", "p", "o"});
  const auto first = cluster[0].store->snapshot()->version_vector();
  const auto lacking = cluster[1].store->quads_at(first);
  REQUIRE_FALSE(lacking.ok());
  CHECK(lacking.error().kind == base::ErrorKind::Unavailable);
  cluster[0].insert(Triple{"s", "p", "o2"});
  cluster.quiet();
  const auto folded = cluster[0].store->quads_at(first);
  REQUIRE_FALSE(folded.ok());
  CHECK(folded.error().kind == base::ErrorKind::Refused);
}

TEST_CASE("while folding is held nothing folds, and afterwards it does") {
  Cluster cluster(2);
  cluster[0].insert(Triple{"s", "p", "o"});
  hold(cluster[0], 60'000);
  cluster.exchange();
  cluster[0].hear(cluster[1].heartbeat());
  CHECK(cluster[0].fold().is_held);
  CHECK(cluster[0].store->snapshot()->window_cell_count() == 1);
  SECTION("it was ended") { hold(cluster[0], 0); }
  SECTION("its time is over") { cluster[0].clock.now += 60'001; }
  CHECK_FALSE(cluster[0].fold().is_held);
  CHECK(cluster[0].store->snapshot()->window_cell_count() == 0);
}

TEST_CASE("what changes policies or members ends a comparison as of an earlier cut") {
  Cluster cluster(2);
  cluster[0].insert(Triple{"s", "p", "o"});
  const log::VersionVector cut = hold_all(cluster);
  cluster[0].assign({{single_value("name", "max")}, "add-wins"});
  const auto looked = cluster[0].store->quads_at(cut);
  REQUIRE_FALSE(looked.ok());
  CHECK(looked.error().kind == base::ErrorKind::Refused);
}

TEST_CASE("the digests that are kept with each commit are those of a scan") {
  Cluster cluster(2);
  cluster[0].insert(many_triples(20'000));
  cluster[0].insert(Triple{"s", "p", "o", "g"});
  cluster.exchange();
  cluster[1].erase(many_triples(500, 4'000));
  cluster[1].erase(Triple{"s", "p", "o", "g"});
  cluster.exchange();
  for (auto& site : cluster.sites) {
    CHECK(site->store->verify().empty());
    const auto quads = site->store->quads_at(site->store->snapshot()->version_vector()).value();
    CHECK(quads->kept_totals().quads == 19'500);
    CHECK(quads->kept_totals_by_graph(1000)->size() == 1);
    CHECK_FALSE(quads->kept_totals_by_graph(1).ok());
    CHECK(quads->lost_from_totals().all == store::TotalsChange());
  }
  cluster[0].damage([](store::Store&, store::Transaction& quads) {
    const auto quad = test::ids_of(quads, {"s1", "p1", "\"5"});
    REQUIRE(quads.erase(quad));
    store::StatisticsChange back;  // so that nobody sees it in what is kept
    back.add(quad, 1, quads.hasher().hash(quad));
    quads.correct_statistics(back);
  });
  const auto findings = cluster[0].store->verify();
  REQUIRE_FALSE(findings.empty());
  const auto quads = cluster[0].store->quads_at(cluster[0].store->snapshot()->version_vector()).value();
  const auto lost = quads->lost_from_totals();
  CHECK(lost.all.quads == -1);
  auto group = cluster[0].store->begin().value();
  REQUIRE(group->correct_totals(lost).ok());
  REQUIRE(group->commit().ok());
  const auto right = cluster[0].store->quads_at(cluster[0].store->snapshot()->version_vector()).value();
  CHECK(right->lost_from_totals().all == store::TotalsChange());
  CHECK(right->lost_from_totals().by_graph.empty());
  CHECK(right->lost_from_totals().by_predicate.empty());
}
