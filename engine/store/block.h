// Blocks: some hundreds of rows of one order, column by column, in one value of a table.
//
// A block's first row (quad_row.h) is part of its key. Its value, little-endian:
//   4 bytes  checksum: the low half of XXH3 over the rest of the value, mixed with that over the first row
//   2        rows
//   3 x 2    where the second, third and fourth column start, from the value's first byte
//   the columns in the order's sequence (column_codec.h); the object, where the predicate stands before it and does not
//   lead, is grouped by predicate
//
// Blocks are small, so that a look-up has little to decode: four or more share a leaf page of LMDB, and none spills
// into pages of its own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/store/quad_row.h"

namespace quadrille::store {

// A leaf page has 4,080 bytes for its rows; a row takes 10 bytes besides its key (36 bytes) and its value.
inline constexpr size_t block_bytes_max = 4080 / 4 - 10 - 36;
inline constexpr size_t block_rows_max = 512;

struct CutBlock {
  size_t first_row;
  size_t rows;
  std::string value;
};

// Cuts sorted rows into full blocks. Deterministic.
class BlockEncoder {
 public:
  explicit BlockEncoder(model::QuadOrder order) : order_(order) {}

  // The block that starts with the first of `rows`, which ascend and are distinct: of no more than block_rows_max rows
  // and as many of those as it can hold. At least one.
  CutBlock next(std::span<const QuadRow> rows);

 private:
  std::string encode(const QuadRow& first, size_t count) const;

  model::QuadOrder order_;
  std::array<std::array<uint64_t, block_rows_max>, 4> columns_;
  size_t likely_rows_ = block_rows_max;  // how many the next block will hold, from those before
};

// All of the rows as blocks. `even_end`: the last two share their rows rather than that the last one is nearly empty:
// for the middle of a table, where more rows will come in between.
std::vector<CutBlock> encode_blocks(model::QuadOrder order, std::span<const QuadRow> rows, bool even_end);

// A block being read. Columns are decoded when they are first asked for, and only their few rows where a few are
// wanted.
class Block {
 public:
  explicit Block(model::QuadOrder order) : order_(order) {}

  // Where key and value may move while the block is in use, Copies them; else they are read where they lie.
  enum class Keeping : uint8_t { InPlace, Copies };
  // `first_row`: as in the block's key. False: the value is damaged, as far as its head shows.
  bool load(std::string_view first_row, std::string_view value, Keeping keeping) {
    return load(order_, first_row, value, keeping);
  }
  bool load(model::QuadOrder order, std::string_view first_row, std::string_view value, Keeping keeping);
  // Of a loaded one. Reads do it before they decode all rows of a column; those of a few rows do without.
  bool has_right_checksum() const noexcept;
  // Of a value as it lies, without its other content; 0 if it is too short to be one.
  static size_t row_count(std::string_view value) noexcept;

  model::QuadOrder order() const noexcept { return order_; }
  size_t rows() const noexcept { return rows_; }
  // Of the column at a position in the order, rows `begin` to `end` (in the range, not empty).
  // Throws base::StorageError where the block is damaged.
  std::span<const uint64_t> cells(size_t position, size_t begin, size_t end);
  QuadRow row(size_t index);
  void append_rows(std::vector<QuadRow>& out);
  // The first row from `from` on whose leading columns are >= `key` (1), or > `key` (2). 0 to 4 ids.
  size_t lower_bound(std::span<const model::TermId> key, size_t from) { return bounds(key, from).first; }
  size_t upper_bound(std::span<const model::TermId> key, size_t from) { return bounds(key, from).second; }
  std::pair<size_t, size_t> bounds(std::span<const model::TermId> key, size_t from);

 private:
  struct ColumnState {
    bool is_constant = false;
    uint64_t constant = 0;
    size_t begin = 0, end = 0;  // the rows that are decoded
    int partial_reads = 0;      // that were answered without decoding the column
    // The value that was sought last in a column that ascends, and its rows.
    bool has_found = false;
    uint64_t found_value = 0;
    size_t found_begin = 0, found_end = 0;
  };

  std::string_view column_bytes(size_t position) const;
  bool find(size_t position, uint64_t value);
  bool decode(size_t position, size_t begin, size_t end);
  bool is_grouped(size_t position) const noexcept;
  [[noreturn]] void fail() const;

  model::QuadOrder order_;
  std::string copy_;
  std::string_view first_row_;
  std::string_view bytes_;
  bool is_checked_ = false;
  size_t rows_ = 0;
  std::array<ColumnState, 4> states_;
  std::array<std::array<uint64_t, block_rows_max>, 4> columns_;
};

}  // namespace quadrille::store
