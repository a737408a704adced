#include <catch2/catch.hpp>

#include "log/history_window.h"

using namespace quadrille;
using log::Cell;
using log::CellHistory;
using log::CellKind;
using model::TermId;

namespace {

const Cell quad_cell{CellKind::Quad, TermId::default_graph(), TermId(5), TermId(6), TermId(7)};
const Cell value_cell{CellKind::Value, TermId(4), TermId(5), TermId(6), {}};

log::LogState two_origins() {
  log::LogState state;
  state.number_of({"ams", 1});
  state.number_of({"nyc", 2});
  return state;
}

log::VersionVector vector_of(uint64_t ams, uint64_t nyc) {
  log::VersionVector vector;
  vector.raise({"ams", 1}, ams);
  vector.raise({"nyc", 2}, nyc);
  return vector;
}

}  // namespace

TEST_CASE("a cell comes back from its key, and keys order as cells do") {
  for (const Cell& cell : {quad_cell, value_cell}) CHECK(log::cell_of_key(log::cell_key(cell)) == cell);
  CHECK(log::cell_key(quad_cell) < log::cell_key(value_cell));
  CHECK_THROWS_AS(log::cell_of_key("short"), base::StorageError);
}

TEST_CASE("a quad cell's history keeps its base and who left what") {
  std::string row = log::empty_history(quad_cell, {{quad_cell.property, quad_cell.object}});
  log::append_version(row, quad_cell, {1, 300, {}, {}});
  log::append_version(row, quad_cell, {0, 2, {}, {{quad_cell.property, quad_cell.object}}});
  const CellHistory history = log::decode_history(quad_cell, row);
  CHECK(history.base.size() == 1);
  REQUIRE(history.components.size() == 2);
  CHECK(history.components[0].versions.front().origin == 1);
  CHECK(history.components[0].versions.front().seq == 300);
  CHECK(history.components[0].versions.front().left.empty());
  CHECK(history.components[1].versions.front().left == log::CellContent{{quad_cell.property, quad_cell.object}});
  CHECK(log::encode_history(quad_cell, history) == row);
}

TEST_CASE("a value cell's history keeps what each version saw and left") {
  CellHistory history;
  history.base = {{TermId(6), TermId(10)}};
  history.components.push_back({{{0, 1, {{TermId(6), TermId(10)}}, {{TermId(6), TermId(11)}}}}});
  history.components.back().versions.push_back({1, 9, {{TermId(6), TermId(10)}}, {}});
  const std::string row = log::encode_history(value_cell, history);
  const CellHistory back = log::decode_history(value_cell, row);
  CHECK(back.base == history.base);
  REQUIRE(back.components.size() == 1);
  const log::HistoryComponent& component = back.components.front();
  REQUIRE(component.versions.size() == 2);
  CHECK(component.versions[0].left == history.components[0].versions[0].left);
  CHECK(component.versions[1].saw == history.components[0].versions[1].saw);
  CHECK_THROWS_AS(log::decode_history(value_cell, std::string_view(row).substr(0, row.size() - 1)), base::StorageError);
}

TEST_CASE("whether a vector has seen all versions is told without decoding them") {
  for (const Cell& cell : {quad_cell, value_cell}) {
    std::string row = log::empty_history(cell, {});
    log::append_version(row, cell, {0, 3, {}, {}});
    CHECK(log::is_only_version(cell.kind, row, 0, 3));
    CHECK_FALSE(log::is_only_version(cell.kind, row, 1, 3));
    log::append_version(row, cell, {1, 5, {}, {{cell.property, TermId(7)}}});
    CHECK_FALSE(log::is_only_version(cell.kind, row, 0, 3));
    const log::LogState state = two_origins();
    CHECK(log::has_seen_all({vector_of(3, 5), state}, cell.kind, row));
    CHECK_FALSE(log::has_seen_all({vector_of(3, 4), state}, cell.kind, row));
    CHECK_FALSE(log::has_seen_all({vector_of(2, 9), state}, cell.kind, row));
  }
}
