// Random histories over real stores (histories/random_history.h). The program quadrille-fuzz-histories tries as many as
// one likes, and shrinks what goes wrong.
//
// QUADRILLE_SEEDS=n runs n seeds instead of some.
#include <catch2/catch.hpp>

#include <cstdlib>

#include "tests/reconcile/histories/random_history.h"
#include "tests/reconcile/site_fixture.h"
#include "tests/reconcile/test_policies.h"

using namespace quadrille;
using test::Cluster;
using test::HistoryOutcome;
using test::HistorySetting;
using test::StabilityRule;
using test::Triple;

namespace {

// Wrong: counts a heartbeat at once, though it names changesets that are not here yet.
struct BelievesAtOnce final : reconcile::Stability {
  using Stability::Stability;
  void on_heartbeat(const reconcile::Heartbeat& heartbeat, const log::VersionVector&) override {
    known_[heartbeat.site.name].merge(heartbeat.vector);
  }
};

size_t seed_count(size_t usual) {
  const char* wanted = std::getenv("QUADRILLE_SEEDS");
  return wanted ? std::strtoul(wanted, nullptr, 10) : usual;
}

// How many of the seeds went wrong; what went wrong in the first is in `story`.
size_t count_failures(const HistorySetting& setting, size_t seeds, std::string& story) {
  size_t failures = 0;
  for (uint32_t seed = 0; seed < seeds; ++seed) {
    const HistoryOutcome outcome = test::run_history(seed, setting);
    if (!outcome.trouble.empty() && failures++ == 0) story = "seed " + std::to_string(seed) + ": " + outcome.trouble;
  }
  return failures;
}

HistorySetting setting_of(const std::string& policy, StabilityRule rule) {
  HistorySetting setting;
  setting.quads = {policy};
  setting.values = {policy};
  setting.stability = rule;
  return setting;
}

}  // namespace

TEST_CASE("all sites end up with the same, whatever the order, repetition, batching, folding, sizes and restarts") {
  const reconcile::PolicyRegistry registry = test::sound_policies();
  std::map<std::string, size_t> conflicts;
  size_t folded_in_between = 0;
  size_t taken_in_steps = 0;
  size_t undone_commits = 0;
  size_t assignments = 0;
  const size_t seeds = seed_count(100);
  for (uint32_t seed = 0; seed < seeds; ++seed) {
    const HistorySetting setting = test::random_setting(seed, registry);
    INFO("seed " << seed << ", " << setting.describe());
    const HistoryOutcome outcome = test::run_history(seed, setting);
    REQUIRE(outcome.trouble == "");
    for (const auto& [policy, count] : outcome.conflicts_by_policy) conflicts[policy] += count;
    folded_in_between += outcome.folded_in_between;
    taken_in_steps += outcome.taken_in_steps;
    undone_commits += outcome.undone_commits;
    assignments += outcome.assignments;
  }
  // Else this says little.
  for (const std::string& policy : registry.names()) {
    INFO(policy);
    CHECK(conflicts[policy] > seeds / 50);
  }
  CHECK(folded_in_between > seeds / 2);
  CHECK(taken_in_steps > seeds / 2);
  CHECK(undone_commits > seeds / 10);
  CHECK(assignments > seeds / 10);
}

TEST_CASE("a random history is the same each time") {
  const HistorySetting setting = test::random_setting(7, test::sound_policies());
  const HistoryOutcome one = test::run_history(7, setting);
  const HistoryOutcome again = test::run_history(7, setting);
  CHECK(one.changesets == again.changesets);
  CHECK(one.conflicts_by_policy == again.conflicts_by_policy);
  CHECK(one.folded_in_between == again.folded_in_between);
}

TEST_CASE("a fold that ignores stability is found out") {
  std::string story;
  CHECK(count_failures(setting_of("history-hash", StabilityRule::IgnoresStability), 20, story) > 5);
  CHECK(count_failures(setting_of("last-writer-wins", StabilityRule::IgnoresStability), 20, story) > 0);
}

TEST_CASE("a heartbeat that counts at once is found out by random histories") {
  std::string story;
  CHECK(count_failures(setting_of("history-hash", StabilityRule::BelievesAtOnce), 30, story) > 0);
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
  CHECK(count_failures(setting_of("last-arrival-wins", StabilityRule::AsItShouldBe), 20, story) > 5);
  CHECK_THAT(story, Catch::Contains("different quads"));
}
