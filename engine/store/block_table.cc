#include "engine/store/block_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "engine/store/damage.h"
#include "engine/store/key.h"

namespace quadrille::store {

using model::QuadOrder;
using model::TermId;

BlockKey::BlockKey(RunNumber run, std::string_view row) noexcept : size_(run_bytes + row.size()) {
  QUADRILLE_CHECK(row.size() <= quad_key_bytes, "a row has 32 bytes");
  const uint32_t number = __builtin_bswap32(run);
  std::memcpy(bytes_.data(), &number, run_bytes);
  std::copy(row.begin(), row.end(), bytes_.data() + run_bytes);  // a row may be empty
}

RunNumber BlockKey::run_of(std::string_view key) noexcept {
  uint32_t number = 0;
  std::memcpy(&number, key.data(), std::min(run_bytes, key.size()));
  return __builtin_bswap32(number);
}

bool find_block(Cursor& cursor, RunNumber run, std::string_view row, std::string* next_row) {
  const BlockKey key(run, row);
  if (next_row) next_row->clear();
  if (!cursor.seek(key.view())) return cursor.last() && BlockKey::run_of(cursor.key()) == run;
  if (cursor.key() == key.view()) return true;
  if (next_row && BlockKey::run_of(cursor.key()) == run) *next_row = BlockKey::row_of(cursor.key());
  if (cursor.previous() && BlockKey::run_of(cursor.key()) == run) return true;
  if (next_row) next_row->clear();
  return cursor.seek(key.view()) && BlockKey::run_of(cursor.key()) == run;
}

bool next_block(Cursor& cursor) {
  const RunNumber run = BlockKey::run_of(cursor.key());
  return cursor.next() && BlockKey::run_of(cursor.key()) == run;
}

BlockRows::BlockRows(const ReadTransaction& transaction, const Table& table, QuadOrder order, RunNumber run,
                     std::span<const TermId> prefix, BlockCache* cache)
    : transaction_(transaction),
      table_(table),
      run_(run),
      cursor_(transaction, table),
      order_(order),
      cache_(cache),
      prefix_size_(prefix.size()) {
  QUADRILLE_CHECK(prefix.size() <= 4, "a quad has four ids");
  std::copy(prefix.begin(), prefix.end(), prefix_.begin());
}

void BlockRows::load() {
  // In a transaction that writes, pages may go while a scan is open.
  const auto keeping = transaction_.is_writing() ? Block::Keeping::Copies : Block::Keeping::InPlace;
  if (!own_) own_ = std::shared_ptr<Block>(new Block(order_));
  if (!own_->load(BlockKey::row_of(cursor_.key()), cursor_.value(), keeping)) {
    fail_damaged_row(transaction_, table_, cursor_.key());
  }
  block_ = own_;
  if (cache_) cache_->count_read();
}

void BlockRows::load_near() {
  if (!cache_) return load();
  block_ = cache_->get(order_, BlockKey::row_of(cursor_.key()), cursor_.value());
  if (!block_) fail_damaged_row(transaction_, table_, cursor_.key());
}

// The block is loaded.
void BlockRows::enter_at(size_t row) {
  row_ = row;
  limit_ = prefix_size_ == 0 ? block_->rows() : block_->upper_bound(prefix(), row);
}

void BlockRows::enter_next_block() {
  row_ = limit_ = 0;
  next_row_.clear();
  if (!cursor_.next() || !cursor_.key().starts_with(BlockKey(run_, prefix()).view())) return;
  load();
  enter_at(0);
}

void BlockRows::seek(std::span<const TermId> key) {
  row_ = limit_ = 0;
  if (!find_block(cursor_, run_, QuadKey(key).view(), &next_row_)) return;
  load_near();
  const size_t row = block_->lower_bound(key, 0);
  if (row < block_->rows()) {
    enter_at(row);
  } else {
    enter_next_block();
  }
}

void BlockRows::skip_to(std::span<const TermId> key) {
  if (!at_row()) return;
  const QuadKey wanted(key);
  if (!next_row_.empty() && limit_ == block_->rows() &&
      wanted.view() > std::string_view(next_row_).substr(0, wanted.view().size())) {
    return seek(key);
  }
  const size_t row = block_->lower_bound(key, row_);
  if (row < limit_) {
    row_ = row;
  } else if (limit_ < block_->rows()) {
    row_ = limit_ = 0;  // the range ends here
  } else {
    seek(key);
  }
}

void BlockRows::advance(size_t count) {
  QUADRILLE_CHECK(count <= limit_ - row_, "rows of a block are passed one block at a time");
  row_ += count;
  if (row_ < limit_) return;
  if (limit_ < block_->rows()) {
    row_ = limit_ = 0;
  } else {
    enter_next_block();
  }
}

namespace {

// For reading at once, before anything else is done.
void load_here(const ReadTransaction& transaction, const Table& table, const Cursor& cursor, Block& block) {
  if (!block.load(BlockKey::row_of(cursor.key()), cursor.value(), Block::Keeping::InPlace)) {
    fail_damaged_row(transaction, table, cursor.key());
  }
}

constexpr uint64_t counted_blocks_max = 4096;

// Of the first column behind the prefix (the bytes before it); of whole rows there is at most one.
uint64_t free_id(std::string_view key, size_t prefix_bytes) {
  return prefix_bytes < key.size() ? big_endian_at(key, prefix_bytes) : 0;
}

// There are more blocks of the range than were counted: as many rows an id as so far.
uint64_t extend_count(Cursor& cursor, std::string_view prefix, uint64_t counted, uint64_t first_id) {
  const double counted_ids = static_cast<double>(free_id(cursor.key(), prefix.size()) - first_id) + 1;
  const std::string after = after_prefix(prefix);
  if (!(after.empty() ? cursor.last() : cursor.seek_before(after))) return counted;
  const double all_ids = static_cast<double>(free_id(cursor.key(), prefix.size()) - first_id) + 1;
  return static_cast<uint64_t>(static_cast<double>(counted) * std::max(1.0, all_ids / counted_ids));
}

}  // namespace

uint64_t count_block_rows(const ReadTransaction& transaction, const Table& table, QuadOrder order, RunNumber run,
                          std::span<const TermId> prefix) {
  const BlockKey key(run, prefix);
  Cursor cursor(transaction, table);
  if (!find_block(cursor, run, QuadKey(prefix).view())) return 0;
  Block block(order);
  const auto rows_here = [&] {
    load_here(transaction, table, cursor, block);
    const auto [start, end] = block.bounds(prefix, 0);
    return end - start;
  };
  uint64_t count = rows_here();
  uint64_t first_id = 0, blocks = 0;
  for (; cursor.next() && cursor.key().starts_with(key.view()); ++blocks) {
    if (blocks == 0) first_id = free_id(cursor.key(), key.view().size());
    if (blocks == counted_blocks_max) return extend_count(cursor, key.view(), count, first_id);
    count += Block::row_count(cursor.value());
  }
  if (blocks == 0) return count;
  // The last block of the range was counted whole: not all of it need belong.
  if (!(cursor.at_row() ? cursor.previous() : cursor.last())) return count;
  return count - Block::row_count(cursor.value()) + rows_here();
}

bool blocks_contain(const ReadTransaction& transaction, const Table& table, QuadOrder order, RunNumber run,
                    const QuadRow& row, BlockCache* cache) {
  const QuadKey key(row);
  Cursor cursor(transaction, table);
  if (!find_block(cursor, run, key.view())) return false;
  if (BlockKey::row_of(cursor.key()) == key.view()) return true;
  if (cache) {
    const auto block = cache->get(order, BlockKey::row_of(cursor.key()), cursor.value());
    if (!block) fail_damaged_row(transaction, table, cursor.key());
    const auto [start, end] = block->bounds(row, 0);
    return start < end;
  }
  Block block(order);
  load_here(transaction, table, cursor, block);
  const auto [start, end] = block.bounds(row, 0);
  return start < end;
}

void fill_block_table(WriteTransaction& transaction, const Table& table, QuadOrder order, RunNumber run,
                      std::span<const QuadRow> rows) {
  Cursor cursor(transaction, table);
  for (const auto& block : encode_blocks(order, rows, false)) {
    cursor.append(BlockKey(run, rows[block.first_row]).view(), block.value);
  }
}

}  // namespace quadrille::store
