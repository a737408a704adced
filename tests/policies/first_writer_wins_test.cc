#include "policies/first_writer_wins.h"

#include <catch2/catch.hpp>

#include "policies/last_writer_wins.h"
#include "tests/policies/conflicts.h"

using namespace quadrille;
using namespace quadrille::policies;
using Texts = std::vector<std::string>;

TEST_CASE("first-writer-wins takes the earliest maximal version, last-writer-wins the latest") {
  const auto conflict = concurrent({{"a"}, {"b"}, {"c"}});
  CHECK(answer(FirstWriterWins(), conflict) == Texts{"\"a\""});
  CHECK(answer(LastWriterWins(), conflict) == Texts{"\"c\""});
}

TEST_CASE("first-writer-wins: who changes his own write stands with the later one") {
  auto conflict = concurrent({{"a"}, {"b"}, {"c"}});
  order(conflict, 0, 2);
  CHECK(answer(FirstWriterWins(), conflict) == Texts{"\"b\""});
}

TEST_CASE("first-writer-wins: a deletion that came first empties the cell, and removes a quad") {
  CHECK(answer(FirstWriterWins(), concurrent({{}, {"b"}})).empty());
  CHECK(answer(FirstWriterWins(), quad_conflict({false, true})).empty());
  CHECK(answer(FirstWriterWins(), quad_conflict({true, false})) == Texts{"<http://e/o>"});
}
