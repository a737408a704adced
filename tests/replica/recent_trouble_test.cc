#include "replica/recent_trouble.h"

#include <catch2/catch.hpp>
#include <vector>

using namespace quadrille;

namespace {

struct SetClock final : base::WallClock {
  int64_t now_ms() const override { return ms; }
  int64_t ms = 1'000'000;
};

}  // namespace

TEST_CASE("a line is said once in a while however often it comes, and counted") {
  SetClock clock;
  std::vector<std::string> said;
  replica::RecentTrouble trouble(
      clock, [&](const std::string& line) { said.push_back(line); }, 1000, 4);
  for (int i = 0; i < 5; ++i) {
    trouble.add("a is away");
    trouble.add("b is away");
    clock.ms += 150;
  }
  CHECK(said == std::vector<std::string>{"a is away", "b is away"});
  REQUIRE(trouble.lines().size() == 2);
  CHECK(trouble.lines()[0].text == "b is away");
  CHECK(trouble.lines()[0].count == 5);
  CHECK(trouble.lines()[0].last_ms == clock.ms - 150);
  clock.ms += 1000;
  trouble.add("a is away");
  CHECK(said.size() == 3);
  clock.ms -= 100'000;  // set back
  trouble.add("a is away");
  CHECK(said.size() == 4);
}

TEST_CASE("only so many lines are kept, the newest") {
  SetClock clock;
  replica::RecentTrouble trouble(clock, {}, 1000, 2);
  for (const char* line : {"1", "2", "3", "2"}) trouble.add(line);
  REQUIRE(trouble.lines().size() == 2);
  CHECK(trouble.lines()[0].text == "2");
  CHECK(trouble.lines()[1].text == "3");
}
