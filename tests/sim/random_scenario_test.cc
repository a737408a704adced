#include "sim/random_scenario.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <set>
#include <string>

#include "policies/built_in.h"
#include "sim/seed_runner.h"
#include "sim/shrink.h"

namespace quadrille::sim {
namespace {

SeedResult run(const Scenario& scenario, uint64_t seed, bool sent_updates) {
  const auto directory = make_work_directory();
  RunOptions options;
  options.sent_updates = sent_updates;
  auto results = run_scenarios({scenario}, seed, options, directory);
  std::filesystem::remove_all(directory);
  return std::move(results.front());
}

Scenario read_again(const Scenario& scenario) {
  auto again = parse_scenario(scenario_as_toml(scenario), "again.toml", policies::built_in());
  INFO((again.ok() ? "" : again.error().message));
  REQUIRE(again.ok());
  return std::move(*again);
}

TEST_CASE("a scenario of a seed, written as a file, reads as the same scenario") {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    const auto scenario = random_scenario(seed);
    const auto text = scenario_as_toml(scenario);
    CHECK(scenario_as_toml(read_again(scenario)) == text);
    CHECK(scenario_as_toml(random_scenario(seed)) == text);
    CHECK(scenario.timeline.size() >= 20);
  }
}

TEST_CASE("a kind of fault that is switched off does not come, and nothing else changes") {
  size_t changing = 0;
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    CAPTURE(seed);
    auto with = random_scenario(seed);
    const auto without = random_scenario(seed, {FaultKind::PowerLoss});
    for (const auto& fault : without.timeline) CHECK(fault.kind != FaultKind::PowerLoss);
    std::erase_if(with.timeline, [](const Fault& fault) { return fault.kind == FaultKind::PowerLoss; });
    CHECK(scenario_as_toml(with) == scenario_as_toml(without));
    for (const auto& fault : with.timeline) changing += changes_members(fault.kind);
    for (const auto& fault : random_scenario(seed, {FaultKind::Join}).timeline) CHECK(fault.kind != FaultKind::Join);
  }
  CHECK(changing > 10);
}

TEST_CASE("a run that is written out, update by update, and read from its file, is the same run") {
  for (const uint64_t seed : {uint64_t{3}, uint64_t{5}}) {
    CAPTURE(seed);
    const auto scenario = random_scenario(seed);
    const auto first = run(scenario, seed, true);
    for (const auto& violation : first.violations) FAIL_CHECK(violation.check << "\n" << violation.story);
    CHECK(first.updates >= 150);
    CHECK(first.faults >= 20);
    CHECK(first.sent_updates.size() >= 200);
    const auto again = run(read_again(written_out(scenario, seed, first.sent_updates)), seed, false);
    CHECK(again.trace_hash == first.trace_hash);
  }
}

}  // namespace
}  // namespace quadrille::sim
