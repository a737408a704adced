// The table of one order's blocks.
//
// Blocks lie in runs (run.h). A key is the number of the run (4 bytes, big-endian) and the
// first row of the block (quad_row.h): every row of a block lies from its first row on and before that of the next
// block of its run.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "engine/store/block.h"
#include "engine/store/block_cache.h"
#include "engine/store/environment.h"

namespace quadrille::store {

using RunNumber = uint32_t;

class BlockKey {
 public:
  // Takes 0 to 4 ids.
  BlockKey(RunNumber run, std::span<const model::TermId> ids) noexcept : BlockKey(run, QuadKey(ids).view()) {}
  BlockKey(RunNumber run, std::string_view row) noexcept;
  std::string_view view() const noexcept { return {bytes_.data(), size_}; }

  static constexpr size_t run_bytes = 4;
  static RunNumber run_of(std::string_view key) noexcept;
  static std::string_view row_of(std::string_view key) noexcept { return key.substr(std::min(run_bytes, key.size())); }

 private:
  std::array<char, run_bytes + quad_key_bytes> bytes_;
  size_t size_;
};

// Moves the cursor to the block of a run that has `row` (0 to 32 bytes) in its range: the last one that starts at or
// before it, else the first. False: the run has no blocks.
// `next_row`, if given, becomes the first row of the block behind it, if that is met on the way; else empty.
bool find_block(Cursor& cursor, RunNumber run, std::string_view row, std::string* next_row = nullptr);
// On to the next block of the run that the cursor stands in.
bool next_block(Cursor& cursor);

// The rows of a run whose leading columns equal a prefix, block by block. The transaction must outlive it, and while it
// is used the table must not be written; after that, seek again.
class BlockRows {
 public:
  // At no row: seek first. `cache`, which must outlive it, if the transaction has one.
  BlockRows(const ReadTransaction& transaction, const Table& table, model::QuadOrder order, RunNumber run,
            std::span<const model::TermId> prefix, BlockCache* cache = nullptr);

  // To the first row of the range that is >= `key` (the prefix and more).
  void seek(std::span<const model::TermId> key);
  // The same, but only forward.
  void skip_to(std::span<const model::TermId> key);

  bool at_row() const noexcept { return row_ < limit_; }
  Block& block() noexcept { return *block_; }
  size_t row() const noexcept { return row_; }      // in the block
  size_t limit() const noexcept { return limit_; }  // the range goes on to here in this block
  void advance(size_t count);                       // no further than limit(), where the next block comes

 private:
  std::span<const model::TermId> prefix() const noexcept { return std::span(prefix_).first(prefix_size_); }
  void load();
  void load_near();
  void enter_at(size_t row);
  void enter_next_block();

  const ReadTransaction& transaction_;
  Table table_;
  RunNumber run_;
  Cursor cursor_;
  model::QuadOrder order_;
  BlockCache* cache_;
  std::shared_ptr<Block> own_;    // for blocks that come one after the other
  std::shared_ptr<Block> block_;  // where it stands: this one, or one of the cache
  std::string next_row_;          // where the block behind starts, if that is known
  QuadRow prefix_{};
  size_t prefix_size_;
  size_t row_ = 0;
  size_t limit_ = 0;
};

// How many rows of a run start with `prefix`: counted by block, so that two blocks at most are decoded; beyond some
// thousands of blocks estimated from how far the ids have come by then.
uint64_t count_block_rows(const ReadTransaction& transaction, const Table& table, model::QuadOrder order, RunNumber run,
                          std::span<const model::TermId> prefix);

bool blocks_contain(const ReadTransaction& transaction, const Table& table, model::QuadOrder order, RunNumber run,
                    const QuadRow& row, BlockCache* cache = nullptr);

// Writes sorted rows as a run, into an empty table.
void fill_block_table(WriteTransaction& transaction, const Table& table, model::QuadOrder order, RunNumber run,
                      std::span<const QuadRow> rows);

}  // namespace quadrille::store
