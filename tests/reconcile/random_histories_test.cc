// Random histories over real stores: whatever the order of delivery, repetition, batching, moment of folding, and
// restarts in between, all sites end up with the same, and nothing is left in their windows.
//
// QUADRILLE_SEEDS=n runs n seeds a policy instead of a few.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <random>

#include "tests/reconcile/site_fixture.h"
#include "tests/reconcile/test_policies.h"

using namespace quadrille;
using test::Cluster;
using test::TestSite;
using test::Triple;

namespace {

// Wrong: calls everything stable that is here.
struct IgnoresStability final : reconcile::Stability {
  using Stability::Stability;
  log::VersionVector stable(const log::VersionVector& own) const override { return own; }
};

// Wrong: counts a heartbeat at once, though it names changesets that are not here yet.
struct BelievesAtOnce final : reconcile::Stability {
  using Stability::Stability;
  void on_heartbeat(const reconcile::Heartbeat& heartbeat, const log::VersionVector&) override {
    known_[heartbeat.site.name].merge(heartbeat.vector);
  }
};

// Which changesets have ranges in the window: none, or those of so many operations, or something else at each site.
enum class Ranges : uint64_t { Off = 10'000, All = 1, OfTwo = 2, Mixed = 0 };

enum class StabilityRule { AsItShouldBe, IgnoresStability, BelievesAtOnce };

struct Setting {
  std::string quad_policy = "add-wins";
  std::string value_policy = "last-writer-wins";
  StabilityRule stability = StabilityRule::AsItShouldBe;
  Ranges ranges = Ranges::Mixed;
};

class RandomHistory {
 public:
  RandomHistory(uint32_t seed, const Setting& setting)
      : random_(seed),
        cluster_(2 + seed % 3, {test::single_value("v", setting.value_policy)}, setting.quad_policy,
                 test::all_policies) {
    for (size_t i = 0; i < cluster_.size(); ++i) {
      auto& site = cluster_.sites[i];
      constexpr std::array choices = {Ranges::Off, Ranges::All, Ranges::OfTwo};
      const Ranges ranges = setting.ranges == Ranges::Mixed ? choices[(seed / 3 + i) % choices.size()] : setting.ranges;
      site->set_large_changeset_min(static_cast<uint64_t>(ranges));
      site->clock.now += static_cast<int64_t>(below(40)) - 20;
      const std::set<std::string> members(cluster_.world.members.begin(), cluster_.world.members.end());
      if (setting.stability == StabilityRule::IgnoresStability) {
        site->stability = std::make_unique<IgnoresStability>(site->id(), members);
      } else if (setting.stability == StabilityRule::BelievesAtOnce) {
        site->stability = std::make_unique<BelievesAtOnce>(site->id(), members);
      }
    }
  }

  // Empty, or what differs.
  std::string run() {
    for (size_t steps = 10 + below(60); steps > 0; --steps) step();
    for (auto& site : cluster_.sites) {
      while (staged_.contains(site.get())) advance(*site);
    }
    cluster_.exchange();
    const std::string before = cluster_[0].text();
    for (size_t i = 1; i < cluster_.size(); ++i) {
      if (cluster_[i].text() != before) return "sites that have the same changesets hold different quads";
    }
    cluster_.quiet();
    for (auto& site : cluster_.sites) {
      if (site->text() != before) return "folding changed what a site holds";
      if (site->store->snapshot()->window_cell_count() != 0) return "the window is not empty after quiet";
      if (site->conflicts() != cluster_[0].conflicts()) return "conflict records differ";
      if (site->store->snapshot()->digest() != cluster_[0].store->snapshot()->digest()) return "digests differ";
      const auto findings = site->store->verify();
      if (!findings.empty()) return findings.front();
    }
    conflicts = cluster_[0].conflicts().size();
    return {};
  }

  size_t conflicts = 0;
  size_t folded_in_between = 0;
  size_t taken_in_steps = 0;

 private:
  size_t below(size_t limit) { return random_() % limit; }
  // The last site folds only at the end: it is what the others are compared with.
  TestSite& any_site() { return cluster_[below(cluster_.size())]; }

  void step() {
    TestSite& site = any_site();
    site.clock.now += static_cast<int64_t>(below(4));
    for (size_t steps = below(6); steps > 0; --steps) advance(site);
    const size_t what = below(100);
    if (what < 30) return write(site);
    if (what < 58) return deliver(site);
    if (what < 74) return beats_.push_back(site.heartbeat());
    if (what < 84) return hear_some(site);
    if (what >= 97) {
      staged_.erase(&site);
      return site.reopen();
    }
    if (&site == cluster_.sites.back().get()) return;
    folded_in_between += site.fold(1 + below(5)).cells_folded;
  }

  // A step of what the site is taking in.
  void advance(TestSite& site) {
    const auto place = staged_.find(&site);
    if (place == staged_.end()) return;
    if (!site.take_step(*place->second)) return;
    staged_.erase(place);
    ++taken_in_steps;
  }

  // Mostly the newest ones, in any order, some again.
  void hear_some(TestSite& site) {
    for (size_t i = 0; i < cluster_.size() && !beats_.empty(); ++i) {
      site.hear(beats_[beats_.size() - 1 - below(std::min(beats_.size(), 2 * cluster_.size()))]);
    }
  }

  void write(TestSite& site) {
    const size_t writes = 1 + below(3);
    const auto receipt = site.update([&](model::QuadTarget& target) -> base::Result<void> {
      for (size_t i = 0; i < writes; ++i) {
        const std::string subject = below(2) == 0 ? "s" : "t";
        const Triple triple =
            below(2) == 0 ? Triple{subject, "p", "o"} : Triple{subject, "v", std::to_string(below(10) + 10 * i)};
        const model::Quad quad = ids_of(target, triple);
        if (below(3) > 0) {
          forget_values(target, quad, triple);
          target.insert(quad);
        } else {
          below(2) == 0 ? forget_values(target, quad, triple) : (void)target.erase(quad);
        }
      }
      return {};
    });
    if (receipt.header.id.seq > 0) written_.push_back(site.last_changeset());
  }

  // So that a request never leaves two values, which would be refused.
  static void forget_values(model::QuadTarget& target, const model::Quad& quad, const Triple& triple) {
    if (triple.property != "v") return;
    for (int value = 0; value < 30; ++value) {
      model::Quad other = quad;
      other.object = target.intern(test::term_of(std::to_string(value)));
      if (target.contains(other)) target.erase(other);
    }
  }

  // Some changesets that could enter now, in any order that agrees with causality, some of them again.
  void deliver(TestSite& site) {
    log::VersionVector have = site.store->snapshot()->version_vector();
    std::vector<log::ShippedChangeset> batch;
    for (size_t wanted = 1 + below(6); wanted > 0; --wanted) {
      std::vector<const log::ShippedChangeset*> ready;
      for (const auto& changeset : written_) {
        const log::ChangesetHeader& header = changeset.header;
        if (have.covers(header.dependencies) && header.id.seq <= have.at(header.id.origin) + 1) {
          const bool is_new = !have.covers(header.id.origin, header.id.seq);
          if (const auto place = staged_.find(&site); place != staged_.end()) {
            if (place->second->header().id == header.id) continue;
          } else if (is_new && site.store->is_large(header) && have == site.store->snapshot()->version_vector()) {
            if (below(2) == 0) {
              staged_[&site] = site.store->stage(changeset);
              continue;
            }
          }
          if (is_new || below(8) == 0) ready.push_back(&changeset);
        }
      }
      if (ready.empty()) break;
      batch.push_back(*ready[below(ready.size())]);
      have.raise(batch.back().header.id.origin, batch.back().header.id.seq);
    }
    site.apply(batch);
  }

  std::mt19937 random_;
  Cluster cluster_;
  std::vector<log::ShippedChangeset> written_;
  std::vector<reconcile::Heartbeat> beats_;
  std::map<TestSite*, std::unique_ptr<reconcile::StagedChangeset>> staged_;  // looked up only
};

size_t seed_count(size_t usual) {
  const char* wanted = std::getenv("QUADRILLE_SEEDS");
  return wanted ? std::strtoul(wanted, nullptr, 10) : usual;
}

// How many of the seeds went wrong; what went wrong in the first is in `story`.
size_t count_failures(const Setting& setting, size_t seeds, std::string& story) {
  size_t failures = 0;
  for (uint32_t seed = 0; seed < seeds; ++seed) {
    std::string trouble;
    try {
      trouble = RandomHistory(seed, setting).run();
    } catch (const std::exception& failure) {
      trouble = failure.what();
    }
    if (!trouble.empty() && failures++ == 0) story = "seed " + std::to_string(seed) + ": " + trouble;
  }
  return failures;
}

}  // namespace

TEST_CASE("all sites end up with the same, whatever the order, repetition, batching, folding, ranges and restarts") {
  for (const auto& [quads, values] :
       std::vector<std::pair<std::string, std::string>>{{"add-wins", "last-writer-wins"},
                                                        {"delete-wins", "sum"},
                                                        {"last-writer-wins", "several-values"},
                                                        {"history-hash", "history-hash"},
                                                        {"throwing", "answers-another-cell"}}) {
    size_t conflicts = 0;
    size_t folded_in_between = 0;
    size_t taken_in_steps = 0;
    for (uint32_t seed = 0; seed < seed_count(20); ++seed) {
      INFO(quads << ", " << values << ", seed " << seed);
      RandomHistory history(seed, {quads, values});
      REQUIRE(history.run() == "");
      conflicts += history.conflicts;
      folded_in_between += history.folded_in_between;
      taken_in_steps += history.taken_in_steps;
    }
    CHECK(conflicts > seed_count(20));  // else this says little
    CHECK(folded_in_between > seed_count(20) / 2);
    CHECK(taken_in_steps > seed_count(20) / 2);
  }
}

TEST_CASE("a fold that ignores stability is found out") {
  std::string story;
  CHECK(count_failures({"history-hash", "history-hash", StabilityRule::IgnoresStability}, 20, story) > 5);
  CHECK(count_failures({"add-wins", "last-writer-wins", StabilityRule::IgnoresStability}, 20, story) > 0);
}

// nyc writes without having seen what ams wrote, then takes it in and says so; its heartbeat overtakes its changeset.
TEST_CASE("a heartbeat that overtakes a changeset folds nothing, and if it did, sites would differ") {
  for (const bool is_wrong : {false, true}) {
    Cluster cluster(2, {test::single_value("v", "last-writer-wins")});
    if (is_wrong) {
      cluster[0].stability = std::make_unique<BelievesAtOnce>(cluster[0].id(), std::set<std::string>{"ams", "nyc"});
    }
    cluster[1].insert(Triple{"s", "v", "2"});
    cluster[0].clock.now += 10;
    cluster[0].insert(Triple{"s", "v", "1"});
    cluster[1].pull(cluster[0]);
    cluster[0].hear(cluster[1].heartbeat());
    cluster[0].fold();
    cluster[0].pull(cluster[1]);
    CHECK(cluster[1].values("s", "v") == std::vector<std::string>{"1"});
    CHECK((cluster[0].text() == cluster[1].text()) != is_wrong);
  }
}

TEST_CASE("a policy that prefers what arrived last is found out") {
  std::string story;
  CHECK(count_failures({"last-arrival-wins", "last-arrival-wins"}, 20, story) > 5);
  CHECK(story.find("different quads") != std::string::npos);
}
