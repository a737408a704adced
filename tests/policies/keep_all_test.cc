#include "policies/keep_all.h"

#include <catch2/catch.hpp>

#include "tests/policies/conflicts.h"

using namespace quadrille;
using namespace quadrille::policies;
using Texts = std::vector<std::string>;

TEST_CASE("keep-all leaves each value of each maximal version, once") {
  auto conflict = concurrent({{"superseded"}, {"a", "b"}, {"b", "c"}});
  order(conflict, 0, 1);
  CHECK(answer(KeepAll(), conflict) == Texts{"\"a\"", "\"b\"", "\"c\""});
}

TEST_CASE("keep-all tells values apart by term: 1 and 01 both stay") {
  CHECK(answer(KeepAll(), conflict_of({typed("1"), typed("01")})) == Texts{number("01"), number("1")});
}

TEST_CASE("keep-all: a value survives a concurrent deletion; without any value the cell is empty") {
  CHECK(answer(KeepAll(), concurrent({{}, {"b"}})) == Texts{"\"b\""});
  CHECK(answer(KeepAll(), concurrent({{}, {}})).empty());
}

TEST_CASE("keep-all is for single values, and lets one request leave several") {
  CHECK(KeepAll().decides(log::CellKind::Value));
  CHECK_FALSE(KeepAll().decides(log::CellKind::Quad));
  CHECK_FALSE(KeepAll().decides(log::CellKind::Record));
  CHECK(KeepAll().accepts_several_values());
}
