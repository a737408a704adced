#include "policies/add_wins.h"

#include <catch2/catch.hpp>

#include "policies/delete_wins.h"
#include "tests/policies/conflicts.h"

using namespace quadrille;
using namespace quadrille::policies;

namespace {

bool exists(const reconcile::Policy& policy, const reconcile::Conflict& conflict) {
  return !answer(policy, conflict).empty();
}

}  // namespace

TEST_CASE("under add-wins one maximal insert is enough, under delete-wins one maximal delete") {
  for (const auto& conflict : {quad_conflict({true, false}), quad_conflict({false, true})}) {
    CHECK(exists(AddWins(), conflict));
    CHECK_FALSE(exists(DeleteWins(), conflict));
  }
  for (const bool says : {true, false}) {
    CHECK(exists(AddWins(), quad_conflict({says, says})) == says);
    CHECK(exists(DeleteWins(), quad_conflict({says, says})) == says);
  }
}

TEST_CASE("add-wins and delete-wins do not look at what a later version has superseded") {
  auto conflict = quad_conflict({true, false, false});
  order(conflict, 0, 1);
  CHECK_FALSE(exists(AddWins(), conflict));
  conflict = quad_conflict({false, true, true});
  order(conflict, 0, 2);
  CHECK(exists(DeleteWins(), conflict));
}
