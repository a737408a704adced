#include "policies/union_of_values.h"

#include <catch2/catch.hpp>

#include "tests/policies/conflicts.h"

using namespace quadrille;
using namespace quadrille::policies;
using Texts = std::vector<std::string>;

TEST_CASE("union leaves each value of each maximal version, once") {
  auto conflict = concurrent({{"superseded"}, {"a", "b"}, {"b", "c"}});
  order(conflict, 0, 1);
  CHECK(answer(Union(), conflict) == Texts{"\"a\"", "\"b\"", "\"c\""});
}

TEST_CASE("union: what one site removed stays where another one left it") {
  auto conflict = concurrent({{"a"}, {"a", "b", "c"}});
  for (auto& version : conflict.versions) version.saw = strings({"a", "b"});
  CHECK(answer(Union(), conflict) == Texts{"\"a\"", "\"b\"", "\"c\""});
  CHECK(answer(Union(), concurrent({{}, {"b"}})) == Texts{"\"b\""});
}

TEST_CASE("union is for single values, and lets one request leave several") {
  CHECK(Union().decides(log::CellKind::Value));
  CHECK_FALSE(Union().decides(log::CellKind::Quad));
  CHECK_FALSE(Union().decides(log::CellKind::Record));
  CHECK(Union().accepts_several_values());
}
