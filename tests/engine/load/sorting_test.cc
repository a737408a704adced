#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "engine/load/row_merge.h"
#include "engine/load/row_sort.h"
#include "engine/load/sorter.h"
#include "engine/load/spill_file.h"
#include "tests/engine/load/load_fixture.h"

using namespace quadrille;
using namespace quadrille::load;
using namespace quadrille::load::testing;
using model::TermId;
using store::QuadRow;

namespace {

// `spread`: how many values a column takes; 0: any 64 bits.
std::vector<QuadRow> random_rows(uint64_t seed, size_t count, std::array<uint64_t, 4> spread) {
  test::SeededRandom random(seed);
  std::vector<QuadRow> rows(count);
  for (QuadRow& row : rows) {
    for (size_t column = 0; column < 4; ++column) {
      const uint64_t value = spread[column] == 0 ? random.next() : random.below(spread[column]);
      row[column] = spread[column] == 0
                        ? TermId(value | 1)
                        : TermId(value % 3 == 0 ? model::TermTag::Literal : model::TermTag::Iri, value + 1);
    }
  }
  return rows;
}

std::vector<QuadRow> all_of(RowSource& source) {
  std::vector<QuadRow> rows;
  for (auto batch = source.next(); !batch.empty(); batch = source.next()) {
    rows.insert(rows.end(), batch.begin(), batch.end());
  }
  return rows;
}

std::vector<QuadRow> sorted_and_distinct(std::vector<QuadRow> rows) {
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

constexpr std::array<std::array<uint64_t, 4>, 5> spreads = {
    {{1, 1, 1, 1}, {1, 300, 7, 70'000}, {0, 0, 0, 0}, {2, 2, 2, 2}, {1'000'000, 1, 0, 1}}};

}  // namespace

TEST_CASE("rows are sorted as std::sort would, whatever they are like") {
  for (const auto& spread : spreads) {
    for (const size_t count : {0, 1, 2, 63, 64, 65, 1000, 20'000}) {
      auto rows = random_rows(count, count, spread);
      auto expected = rows;
      std::sort(expected.begin(), expected.end());
      sort_rows(rows);
      CHECK(rows == expected);
    }
  }
}

TEST_CASE("a merge gives each row once, in order, and in batches") {
  std::vector<QuadRow> all;
  std::vector<std::unique_ptr<RowSource>> sources;
  for (uint64_t i = 0; i < 9; ++i) {
    auto rows = random_rows(i, i * 50, {2, 3, 5, 7});
    all.insert(all.end(), rows.begin(), rows.end());
    sort_rows(rows);
    sources.push_back(std::make_unique<MemoryRows>(std::move(rows)));
  }
  RowMerge merge(std::move(sources), 10);
  std::vector<QuadRow> merged;
  for (auto batch = merge.next(); !batch.empty(); batch = merge.next()) {
    CHECK(batch.size() <= 10);
    merged.insert(merged.end(), batch.begin(), batch.end());
  }
  CHECK(merged == sorted_and_distinct(all));
  CHECK(merge.next().empty());
}

TEST_CASE("what is spilled comes back, run by run, and its file has no name") {
  store::testing::TemporaryDirectory directory;
  SpillFile file(directory.path());
  std::vector<std::vector<QuadRow>> runs;
  for (const auto& spread : spreads) {
    runs.push_back(sorted_and_distinct(random_rows(runs.size(), 10'000, spread)));
    file.append(std::span(runs.back()).first(runs.back().size() / 3));
    file.append(std::span(runs.back()).subspan(runs.back().size() / 3));
    file.end_run();
  }
  REQUIRE(file.run_count() == runs.size());
  for (size_t run = 0; run < runs.size(); ++run) CHECK(all_of(*file.rows_of_run(run)) == runs[run]);
  CHECK(std::filesystem::is_empty(directory.path()));
}

TEST_CASE("rows like those of a data set take a third of their size in a temporary file") {
  store::testing::TemporaryDirectory directory;
  SpillFile file(directory.path());
  const auto rows = sorted_and_distinct(random_rows(1, 100'000, {1, 10'000, 30, 100'000}));
  file.append(rows);
  file.end_run();
  CHECK(file.bytes() < rows.size() * sizeof(QuadRow) / 3);
}

TEST_CASE("a sorter with little memory gives the same rows as one with much") {
  const auto rows = random_rows(3, 60'000, {1, 900, 20, 2000});
  for (const size_t threads : {1, 3}) {
    for (const size_t rows_in_memory : {size_t{2000}, size_t{1} << 20}) {
      store::testing::TemporaryDirectory directory;
      StartedThreads runner(threads);
      Pipeline pipeline(runner);
      constexpr size_t runs_max = 3;
      Sorter sorter({500, rows_in_memory, runs_max}, directory.path());
      size_t given = 0;
      pipeline.add([&] { return sorter.next_piece(); });
      pipeline.add([&]() -> std::optional<Pipeline::Piece> {
        if (sorter.is_full() || given > rows.size()) return std::nullopt;
        if (given == rows.size()) {
          ++given;
          sorter.end_input();
        } else {
          const size_t count = std::min<size_t>(177, rows.size() - given);
          sorter.add(
              {rows.begin() + static_cast<ptrdiff_t>(given), rows.begin() + static_cast<ptrdiff_t>(given + count)});
          given += count;
        }
        return Pipeline::Piece{[] {}, {}};
      });
      REQUIRE(pipeline.run().ok());
      REQUIRE(sorter.is_done());
      auto sources = sorter.take_sources();
      // Some thirty runs were spilled where memory is short: at most two of each of four lengths are left, and some
      // segments beside them.
      if (rows_in_memory == 2000) CHECK(sources.size() <= 2 * 4 + 5);
      RowMerge merge(std::move(sources), 1000);
      CHECK(all_of(merge) == sorted_and_distinct(rows));
    }
  }
}
