#include "policies/max.h"

#include <catch2/catch.hpp>

#include "tests/policies/conflicts.h"

using namespace quadrille;
using namespace quadrille::policies;
using Texts = std::vector<std::string>;

TEST_CASE("max keeps the largest value that a maximal version left") {
  const auto conflict = conflict_of({typed("9"), typed("10"), typed("-3")});
  CHECK(answer(Max(), conflict) == Texts{number("10")});
}

TEST_CASE("max does not look at what a later version has superseded") {
  auto conflict = conflict_of({typed("100"), typed("2"), typed("1")});
  order(conflict, 0, 2);
  CHECK(answer(Max(), conflict) == Texts{number("2")});
}

TEST_CASE("max: a value survives a concurrent deletion; without any value the cell is empty") {
  CHECK(answer(Max(), conflict_of({nothing, typed("5"), nothing})) == Texts{number("5")});
  CHECK(answer(Max(), conflict_of({nothing, nothing})).empty());
}

TEST_CASE("max looks at every value of a version that left several") {
  CHECK(answer(Max(), concurrent({{"b", "d"}, {"a", "c"}})) == Texts{"\"d\""});
}

TEST_CASE("max compares numbers by exact value over all their types") {
  const auto conflict = conflict_of(
      {typed("9007199254740993"), typed("9007199254740992.5", "decimal"), typed("9.007199254740992E15", "double")});
  CHECK(answer(Max(), conflict) == Texts{number("9007199254740993")});
}

TEST_CASE("max has one answer for values of different types, and for equal numbers that are written differently") {
  const auto mixed = conflict_of({typed("7"), strings({"seven"}), one_value(model::Term::iri("http://e/seven"))});
  CHECK(answer(Max(), mixed) == Texts{"\"seven\""});
  const Texts forwards = answer(Max(), conflict_of({typed("1"), typed("1.0", "decimal"), typed("01")}));
  CHECK(forwards.size() == 1);
  CHECK(answer(Max(), conflict_of({typed("01"), typed("1.0", "decimal"), typed("1")})) == forwards);
}
