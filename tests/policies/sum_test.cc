#include <catch2/catch.hpp>

#include "policies/sum.h"

using namespace quadrille;
using model::Term;
using reconcile::Conflict;
using reconcile::Content;

namespace {

const Term property = Term::iri("http://e/v");

Content content(const std::string& word, const std::string& type) {
  if (word.empty()) return {};
  return {{property, Term::typed_literal(word, "http://www.w3.org/2001/XMLSchema#" + type)}};
}

// Versions that have not seen each other, by stamp: what each saw and left.
Conflict concurrent(const std::vector<std::pair<std::string, std::string>>& versions,
                    const std::string& type = "integer") {
  Conflict conflict;
  conflict.cell.kind = log::CellKind::Value;
  conflict.cell.property = property;
  for (const auto& [saw, left] : versions) {
    const auto index = static_cast<int64_t>(conflict.versions.size());
    conflict.versions.push_back(
        {{{"s" + std::to_string(index), 1}, 1}, {index, 0}, content(saw, type), content(left, type), true});
  }
  conflict.seen.assign(versions.size(), std::vector<bool>(versions.size(), false));
  return conflict;
}

// versions[later] had seen versions[earlier].
void order(Conflict& conflict, size_t earlier, size_t later) {
  conflict.seen[later][earlier] = true;
  conflict.versions[earlier].is_maximal = false;
}

std::string answer(const Conflict& conflict) {
  const Content content = policies::Sum().resolve(conflict).content;
  return content.empty() ? "" : to_ntriples(content.front().object);
}

std::string written(const std::string& word, const std::string& type) {
  return "\"" + word + "\"^^<http://www.w3.org/2001/XMLSchema#" + type + ">";
}

}  // namespace

TEST_CASE("sum adds what each version changed to what the earliest maximal one left") {
  CHECK(answer(concurrent({{"10", "13"}, {"10", "6"}})) == written("9", "integer"));
  CHECK(answer(concurrent({{"", "5"}, {"", "7"}, {"", "-2"}})) == written("10", "integer"));
}

TEST_CASE("sum does not count again what the start had seen") {
  Conflict conflict = concurrent({{"10", "11"}, {"11", "15"}, {"10", "20"}});
  order(conflict, 0, 1);
  CHECK(answer(conflict) == written("25", "integer"));
}

TEST_CASE("sum counts what a maximal deletion had seen of others, if the start had not") {
  Conflict conflict = concurrent({{"10", "12"}, {"12", ""}, {"10", "13"}});
  order(conflict, 0, 1);
  CHECK(answer(conflict) == written("15", "integer"));
}

TEST_CASE("sum is empty when every maximal version left nothing") {
  CHECK(answer(concurrent({{"1", ""}, {"1", ""}})).empty());
}

TEST_CASE("sum keeps a number as it was written when no other counts") {
  CHECK(answer(concurrent({{"10", "010"}, {"10", ""}})) == written("010", "integer"));
}

TEST_CASE("sum is exact for integers of any size and for decimals") {
  CHECK(answer(concurrent({{"0", "100000000000000000000000000000"}, {"0", "1"}})) ==
        written("100000000000000000000000000001", "integer"));
  CHECK(answer(concurrent({{"0", "0.1"}, {"0", "0.2"}}, "decimal")) == written("0.3", "decimal"));
}

TEST_CASE("sum of a mixture has the widest type of its parts") {
  Conflict conflict = concurrent({{"", "1"}, {"", ""}, {"", "2"}});
  conflict.versions[1].left = content("0.5", "decimal");
  CHECK(answer(conflict) == written("3.5", "decimal"));
  conflict.versions[1].left = content("0.5", "double");
  CHECK(answer(conflict) == written("3.5E0", "double"));
}

TEST_CASE("sum leaves what is not a number to the last writer") {
  Conflict conflict = concurrent({{"", "1"}, {"", "2"}});
  conflict.versions[0].left = {{property, Term::literal("one")}};
  CHECK(answer(conflict) == written("2", "integer"));
  conflict = concurrent({{"", "1"}, {"", "2"}});
  conflict.versions[1].left = {{property, Term::typed_literal("two", "http://www.w3.org/2001/XMLSchema#integer")}};
  CHECK(answer(conflict) == written("two", "integer"));
}

TEST_CASE("sum of doubles adds in stamp order, the same bits in every call; a float with a decimal is a float") {
  const Conflict conflict = concurrent({{"0.0E0", "1.0E16"}, {"0.0E0", "1.0E0"}, {"0.0E0", "-1.0E16"}}, "double");
  CHECK(answer(conflict) == written("0.0E0", "double"));
  Conflict mixed = concurrent({{"", "1"}, {"", "0.5"}}, "decimal");
  mixed.versions[0].left = content("0.25", "float");
  CHECK(answer(mixed) == written("7.5E-1", "float"));
}

TEST_CASE("sum of integers of derived types is an xsd:integer") {
  CHECK(answer(concurrent({{"1", "3"}, {"1", "2"}}, "int")) == written("4", "integer"));
}

TEST_CASE("sum: a deletion and a re-creation count as what the re-creation left, from nothing") {
  Conflict conflict = concurrent({{"10", ""}, {"", "5"}, {"10", "12"}});
  order(conflict, 0, 1);
  CHECK(answer(conflict) == written("7", "integer"));  // 5, and 2 more
}

TEST_CASE("sum: several values in a version that takes part leave the cell to the last writer") {
  Conflict conflict = concurrent({{"", "1"}, {"", "2"}});
  conflict.versions[0].left.push_back(content("3", "integer").front());
  CHECK(answer(conflict) == written("2", "integer"));
}

TEST_CASE("sum lets a version go only when every maximal one has seen it") {
  Conflict conflict = concurrent({{"10", "11"}, {"11", "12"}, {"11", "13"}});
  order(conflict, 0, 1);
  CHECK_FALSE(policies::Sum().may_leave(conflict, 0));
  order(conflict, 0, 2);
  CHECK(policies::Sum().may_leave(conflict, 0));
}
