// A site that is far behind, in the simulator.
#include <catch2/catch.hpp>
#include <filesystem>

#include "policies/built_in.h"
#include "sim/scenario.h"
#include "sim/seed_runner.h"

namespace quadrille::sim {
namespace {

TEST_CASE("a site whose clock is behind by more than is allowed stops nobody, takes all of it later, and agrees") {
  // Half a minute beyond the limit: whatever the others write is in reach half a minute later.
  const std::string text =
      "run_s = 60\nquiet_s = 240\n"
      "[[site]]\nname = \"ams\"\n[[site]]\nname = \"nyc\"\n[[site]]\nname = \"sgp\"\nclock_skew_ms = -330000\n"
      "[random_faults.partition]\nper_minute = 2\nfor_s_min = 2\nfor_s_max = 15\n"
      "[random_faults.connection-loss]\nper_minute = 10\n"
      "[random_faults.pause]\nper_minute = 2\nfor_s_min = 0.5\nfor_s_max = 4\n"
      "[[policy]]\nproperty = \"urn:sim:name\"\ncells = \"value\"\npolicy = \"last-writer-wins\"\n"
      "[[policy]]\nproperty = \"urn:sim:balance\"\ncells = \"value\"\npolicy = \"sum\"\n";
  const auto scenario = parse_scenario(text, "behind.toml", policies::built_in());
  REQUIRE(scenario.ok());
  const auto directory = make_work_directory();
  const auto results =
      run_seeds(*scenario, {1, 4}, {.jobs = 2, .trace = false, .factories = {}}, directory, [](const SeedResult&) {});
  std::filesystem::remove_all(directory);
  for (const auto& result : results) {
    CAPTURE(result.seed);
    for (const auto& violation : result.violations) FAIL_CHECK(violation.check << "\n" << violation.story);
    CHECK(result.updates > 100);
    CHECK(result.settled_after_s >= 30);
  }
}

}  // namespace
}  // namespace quadrille::sim
