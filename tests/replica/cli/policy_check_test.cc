// `quadrille policy check` as a person runs it, over policies that are wrong, each in one way.
#include <catch2/catch.hpp>

#include "tests/replica/cli/processes.h"

using namespace quadrille::test;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

void check_named(const std::string& policy, const std::string& cause, const std::string& limit_s = "10") {
  const auto checked = run_quadrille({"policy", "check", std::string(QUADRILLE_WRONG_POLICIES) + "/" + policy + ".so",
                                      "--cases", "4000", "--limit", limit_s});
  INFO(checked.out << checked.err);
  CHECK(checked.status == 1);
  CHECK_THAT(checked.out, Contains("WRONG: " + cause + "\n"));
  CHECK_THAT(checked.out, Contains("The smallest history that shows it"));
  CHECK_THAT(checked.out, Contains("1 wrong."));
  CHECK_THAT(checked.out, Contains(policy + ".so "));
}

}  // namespace

TEST_CASE("a policy that reads the clock is named so") { check_named("reads_clock", "reads the clock"); }
TEST_CASE("a policy that throws dice is named so") { check_named("throws_dice", "random"); }
TEST_CASE("a policy that keeps state is named so") { check_named("keeps_state", "keeps state between calls"); }
TEST_CASE("a policy that depends on addresses is named so") {
  check_named("depends_on_addresses", "depends on addresses or on unordered iteration");
}
TEST_CASE("a policy that reads the environment is named so") {
  check_named("depends_on_environment", "depends on locale or environment");
}
TEST_CASE("a policy that looks at more than it declares is named so") {
  check_named("looks_at_the_rest", "claims \"maximal only\" and looks at the rest");
}
TEST_CASE("a wrong combine step is named so") {
  check_named("wrong_combine_step", "a wrong combine step: what may_leave() lets go still counts");
}
TEST_CASE("a policy that answers another cell's quads is named so") {
  check_named("answers_another_cell", "answers quads of another cell");
}
TEST_CASE("a policy that throws for one kind of value is named with the kind") {
  check_named("throws_for_language_strings", "throws for language strings");
}
TEST_CASE("a policy that adds doubles in any order is named so") {
  check_named("sums_in_any_order", "sums floating point in an order that it does not control");
}
TEST_CASE("a policy that prefers what arrived last is named so") {
  check_named("prefers_last_arrival", "prefers what arrived last");
}

TEST_CASE("a policy that crashes does not take the check with it") {
  check_named("crashes_without_values", "it crashes");
}
TEST_CASE("a policy that never answers does not hold the check for ever") {
  check_named("waits_for_a_winner", "it does not come to an end", "1");
}

TEST_CASE("a built-in policy passes, and the report says what was looked for and what the histories held") {
  const auto checked = run_quadrille({"policy", "check", "last-writer-wins", "--cases", "2000", "--seed", "5"});
  INFO(checked.out << checked.err);
  CHECK(checked.status == 0);
  CHECK_THAT(checked.out, StartsWith("Checked 'last-writer-wins', version 1, built in"));
  CHECK_THAT(checked.out, Contains("a criss-cross merge"));
  CHECK_THAT(checked.out, Contains("same answer in another process, environment and moment"));
}

TEST_CASE("a check of what is no policy is used wrongly, and of a file that is none fails") {
  CHECK(run_quadrille({"policy", "check", "no-such-policy"}).status == 2);
  CHECK(run_quadrille({"policy", "check"}).status == 2);
  CHECK(run_quadrille({"policy", "check", "sum", "--cases", "0"}).status == 2);
  const TemporaryDirectory files;
  CHECK(run_quadrille({"policy", "check", files.file("text.so", "no library")}).status == 1);
}

TEST_CASE("a policy in Lua finds all in one order, forgets all, and so passes however it walks its tables") {
  const TemporaryDirectory files;
  const auto policy = files.file("walks.lua", R"(
    local calls = 0
    local function own_pairs(t) return function(t, k) return next(t, k) end, t, nil end
    return {
      name = "walks-tables", version = 1, decides = {"value"},
      resolve = function(conflict)
        calls = calls + 1
        local places = {}
        for i, version in ipairs(conflict.versions) do places[version.site .. version.seq] = i end
        for _, i in own_pairs(places) do
          return conflict.versions[(i + calls) % #conflict.versions + 1].left
        end
      end,
    })");
  const auto checked = run_quadrille({"policy", "check", policy, "--cases", "300"});
  INFO(checked.out << checked.err);
  CHECK(checked.status == 0);
}

TEST_CASE(
    "a policy in Lua that walks a table of tables by its own pairs is refused by the order, and the check says so") {
  const TemporaryDirectory files;
  const auto policy = files.file("keys.lua", R"(
    return {
      name = "tables-as-keys", version = 1, decides = {"value"},
      resolve = function(conflict)
        local places = {}
        for i, version in ipairs(conflict.versions) do places[version] = i end
        for version in next, places do return version.left end
      end,
    })");
  const auto checked = run_quadrille({"policy", "check", policy, "--cases", "300"});
  INFO(checked.out << checked.err);
  CHECK(checked.status == 1);
  CHECK_THAT(checked.out, Contains("WRONG: "));
}
