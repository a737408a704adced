#include <catch2/catch.hpp>

#include "tests/engine/exec/random_queries.h"

using namespace quadrille;

namespace {

void compare(uint64_t seeds, test::RandomQueryKind kind) {
  uint64_t compared = 0;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    const test::RandomQueryOutcome outcome = test::try_random_query(seed, kind);
    if (outcome.is_query) ++compared;
    INFO(outcome.disagreement);
    REQUIRE(outcome.disagreement.empty());  // the first one is enough to read
  }
  CHECK(compared > seeds / 2);
}

}  // namespace

// tests/fuzz/queries goes on from there for as long as one likes.
TEST_CASE("random queries give what the specification says") { compare(3000, test::RandomQueryKind::Local); }

TEST_CASE("random queries with SERVICE give what the specification says") {
  compare(2000, test::RandomQueryKind::Federated);
}
