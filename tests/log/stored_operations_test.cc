#include "log/stored_operations.h"

#include <catch2/catch.hpp>

#include <random>

using namespace quadrille;
using log::Operations;
using model::Quad;
using model::TermId;
using model::TermTag;

namespace {

TermId iri(uint64_t number) { return {TermTag::Iri, number}; }

// As a site has those of a load: sorted, ids by first appearance.
Operations a_load(size_t subjects) {
  Operations operations;
  for (size_t subject = 0; subject < subjects; ++subject) {
    for (size_t property = 0; property < 10; ++property) {
      const TermId object = property < 5 ? iri(100 + property * 40 + subject % 40) : iri(5000 + subject * 6 + property);
      operations.quads.push_back(
          {{iri(5000 + subject * 6), iri(10 + property), object, TermId::default_graph()}, true});
    }
  }
  return operations;
}

bool are_equal(const Operations& one, const Operations& other) {
  const auto same_quads = std::equal(
      one.quads.begin(), one.quads.end(), other.quads.begin(), other.quads.end(),
      [](const auto& left, const auto& right) { return left.quad == right.quad && left.exists == right.exists; });
  const auto same_cells =
      std::equal(one.cells.begin(), one.cells.end(), other.cells.begin(), other.cells.end(),
                 [](const auto& left, const auto& right) {
                   return left.cell == right.cell && left.saw == right.saw && left.left == right.left;
                 });
  return same_quads && same_cells;
}

}  // namespace

TEST_CASE("the operations of a load take less than three bytes a quad in the log") {
  const Operations operations = a_load(400);
  const std::string bytes = log::encode_stored({operations.quads, operations.cells});
  CHECK(bytes.size() < 3 * operations.quads.size());
  CHECK(are_equal(log::decode_stored(bytes), operations));
}

TEST_CASE("operations come back from the log as they were, in their order, whichever of their quads exist") {
  std::mt19937_64 random(7);
  for (size_t round = 0; round < 200; ++round) {
    Operations operations;
    const size_t kind = round % 3;  // all exist, none does, some do
    for (size_t left = random() % 40; left > 0; --left) {
      const Quad quad{iri(random() % 9), iri(random() % 5), TermId(random() >> random() % 60), iri(random() % 3)};
      operations.quads.push_back({quad, kind == 0 || (kind == 2 && random() % 2 == 0)});
    }
    for (size_t left = random() % 4; left > 0; --left) {
      const log::Cell cell{log::CellKind::Value, iri(1), iri(random() % 50), iri(3), {}};
      operations.cells.push_back({cell, {{iri(3), iri(random())}}, {}});
    }
    const std::string bytes = log::encode_stored({operations.quads, operations.cells});
    REQUIRE(are_equal(log::decode_stored(bytes), operations));
  }
}

TEST_CASE("a damaged row of the log's operations is told, or reads as other operations, and never beyond its end") {
  const Operations operations = a_load(5);
  const std::string bytes = log::encode_stored({operations.quads, operations.cells});
  size_t told = 0;
  for (size_t at = 0; at < bytes.size(); ++at) {
    CHECK_THROWS_AS(log::decode_stored(bytes.substr(0, at)), base::StorageError);
    for (const int bit : {0, 3, 7}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ 1 << bit);
      try {
        static_cast<void>(log::decode_stored(damaged));
      } catch (const base::StorageError&) {
        ++told;
      }
    }
  }
  CHECK(told > 0);
  CHECK_THROWS_AS(log::decode_stored(bytes + '\0'), base::StorageError);
}
