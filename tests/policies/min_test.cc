#include "policies/min.h"

#include <catch2/catch.hpp>

#include "tests/policies/conflicts.h"

using namespace quadrille;
using namespace quadrille::policies;
using Texts = std::vector<std::string>;

TEST_CASE("min keeps the smallest value that a maximal version left") {
  const auto conflict = conflict_of({typed("9"), typed("10"), typed("-3")});
  CHECK(answer(Min(), conflict) == Texts{number("-3")});
}

TEST_CASE("min does not look at what a later version has superseded") {
  auto conflict = conflict_of({typed("-100"), typed("2"), typed("1")});
  order(conflict, 0, 2);
  CHECK(answer(Min(), conflict) == Texts{number("1")});
}

TEST_CASE("min: a value survives a concurrent deletion; without any value the cell is empty") {
  CHECK(answer(Min(), conflict_of({nothing, typed("5"), nothing})) == Texts{number("5")});
  CHECK(answer(Min(), conflict_of({nothing, nothing})).empty());
}

TEST_CASE("min looks at every value of a version that left several") {
  CHECK(answer(Min(), concurrent({{"b", "d"}, {"a", "c"}})) == Texts{"\"a\""});
}

TEST_CASE("min compares numbers by exact value over all their types") {
  const auto conflict = conflict_of(
      {typed("9007199254740993"), typed("9007199254740992.5", "decimal"), typed("9.007199254740992E15", "double")});
  CHECK(answer(Min(), conflict) == Texts{number("9.007199254740992E15", "double")});
}

TEST_CASE("min has one answer for values of different types, and for equal numbers that are written differently") {
  const auto mixed = conflict_of({typed("7"), strings({"seven"}), one_value(model::Term::iri("http://e/seven"))});
  CHECK(answer(Min(), mixed) == Texts{"<http://e/seven>"});
  const Texts forwards = answer(Min(), conflict_of({typed("1"), typed("1.0", "decimal"), typed("01")}));
  CHECK(forwards.size() == 1);
  CHECK(answer(Min(), conflict_of({typed("01"), typed("1.0", "decimal"), typed("1")})) == forwards);
}
