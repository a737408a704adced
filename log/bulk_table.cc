#include "log/bulk_table.h"

#include <algorithm>

#include "engine/store/block.h"
#include "engine/store/key.h"
#include "log/stored_operations.h"

namespace quadrille::log {
namespace {

constexpr auto order = model::QuadOrder::Gspo;
constexpr size_t gathered_max = 2048;
constexpr size_t set_key_bytes = 8 + 1 + 1;

enum Form : uint8_t { InPlace = 0, Reference = 1 };

std::string chunk_key(uint64_t bulk, uint32_t chunk) {
  std::string key = bulk_key(bulk, BulkPart::Operations);
  store::append_big_endian(key, chunk);
  return key;
}

void load_block(store::Block& block, const store::Cursor& cursor) {
  const std::string_view first = cursor.key().substr(set_key_bytes);
  if (!block.load(first, cursor.value(), store::Block::Keeping::Copies) || !block.has_right_checksum()) {
    fail_as_corrupt("log.bulk");
  }
}

}  // namespace

std::string bulk_key(uint64_t bulk, BulkPart part) {
  std::string key;
  store::append_big_endian(key, bulk);
  key.push_back(static_cast<char>(part));
  return key;
}

std::string range_key(uint64_t bulk, RangeSet set) {
  return bulk_key(bulk, BulkPart::Range) + static_cast<char>(set.number());
}

std::optional<Operations> BulkTable::find_operations(uint64_t bulk, uint32_t chunk) const {
  const auto row = reading_.get(table_, chunk_key(bulk, chunk));
  if (!row) return std::nullopt;
  ByteReader reader(*row);
  const uint8_t form = reader.byte();
  if (form == InPlace) return decode_stored(reader.raw(reader.remaining()));
  const uint8_t set = reader.byte();
  const std::string first(reader.raw(store::quad_key_bytes));
  const uint64_t count = reader.varint();
  if (form != Reference || set >= range_sets || !reader.ok() || !reader.at_end() || count > chunk_operations_max) {
    fail_as_corrupt("log.bulk");
  }
  const RangeSet of = RangeSet::of_number(set);
  Operations operations;
  for (const model::Quad& quad : read_range(bulk, of, store::read_row(first), count)) {
    operations.quads.push_back({quad, of.exists});
  }
  if (operations.quads.size() != count) fail_as_corrupt("log.bulk");
  return operations;
}

std::vector<model::Quad> BulkTable::read_range(uint64_t bulk, RangeSet set, const store::QuadRow& first,
                                               size_t count) const {
  std::vector<model::Quad> quads;
  const std::string prefix = range_key(bulk, set);
  const std::string wanted = prefix + std::string(store::QuadKey(first).view());
  store::Cursor cursor(reading_, table_);
  // The block that begins at or before it, else the one after it.
  bool has_row = cursor.seek_before(wanted + '\0') && cursor.key().starts_with(prefix);
  if (!has_row) has_row = cursor.seek(wanted);
  store::Block block(order);
  for (; has_row && quads.size() < count && cursor.key().starts_with(prefix); has_row = cursor.next()) {
    load_block(block, cursor);
    for (size_t row = block.lower_bound(first, 0); row < block.rows() && quads.size() < count; ++row) {
      quads.push_back(store::to_quad(order, block.row(row)));
    }
  }
  return quads;
}

std::vector<std::string> BulkTable::first_cells(uint64_t bulk, size_t count) const {
  std::vector<std::string> cells;
  const std::string prefix = bulk_key(bulk, BulkPart::Cells);
  store::Cursor cursor(reading_, table_);
  bool has_row = cursor.seek(prefix);
  for (; has_row && cells.size() < count && cursor.key().starts_with(prefix); has_row = cursor.next()) {
    cells.emplace_back(cursor.key().substr(prefix.size()));
  }
  return cells;
}

bool BulkTable::has_cell(uint64_t bulk, std::string_view cell_key) const {
  return reading_.contains(table_, bulk_key(bulk, BulkPart::Cells).append(cell_key));
}

void BulkTableWriter::add_operations(uint64_t bulk, uint32_t chunk, const OperationsView& operations) {
  writing_.put(table_, chunk_key(bulk, chunk), static_cast<char>(InPlace) + encode_stored(operations));
}

void BulkTableWriter::add_reference(uint64_t bulk, uint32_t chunk, RangeSet set, const model::Quad& first,
                                    size_t count) {
  std::string row;
  ByteWriter writer(row);
  writer.byte(Reference);
  writer.byte(static_cast<uint8_t>(set.number()));
  writer.raw(store::QuadKey(store::to_row(order, first)).view());
  writer.varint(count);
  writing_.put(table_, chunk_key(bulk, chunk), row);
}

void BulkTableWriter::add_cell(uint64_t bulk, std::string_view cell_key) {
  writing_.put(table_, bulk_key(bulk, BulkPart::Cells).append(cell_key), {});
}

void BulkTableWriter::erase_cell(uint64_t bulk, std::string_view cell_key) {
  writing_.erase(table_, bulk_key(bulk, BulkPart::Cells).append(cell_key));
}

void BulkTableWriter::add_range(uint64_t bulk, RangeSet set, std::span<const store::EncodedBlock> blocks) {
  const std::string prefix = range_key(bulk, set);
  for (const store::EncodedBlock& block : blocks) {
    std::string key = prefix;
    writing_.put(table_, key.append(block.key.data(), block.key.size()), block.value);
  }
}

bool BulkTableWriter::sweep(LogState& state, std::span<const uint64_t> in_use, uint64_t row_limit) {
  for (size_t i = 0; i < state.bulks.size();) {
    BulkState& bulk = state.bulks[i];
    if (std::find(in_use.begin(), in_use.end(), bulk.number) != in_use.end()) {
      ++i;
      continue;
    }
    if (bulk.stage == BulkStage::Staged) bulk.stage = BulkStage::Trimmed;
    if (bulk.stage == BulkStage::Settled && bulk.range_rows() > 0) {
      // A log that refers to the range keeps it until it is trimmed.
      if (!is_by_reference(bulk.number) && !erase_rows(bulk_key(bulk.number, BulkPart::Range), row_limit)) return false;
      bulk.rows = {};
    }
    if (bulk.stage != BulkStage::Trimmed) {
      ++i;
      continue;
    }
    std::string all;
    store::append_big_endian(all, bulk.number);
    if (!erase_rows(all, row_limit)) return false;
    state.bulks.erase(state.bulks.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return true;
}

bool BulkTable::is_by_reference(uint64_t bulk) const {
  const auto row = reading_.get(table_, chunk_key(bulk, 0));
  return row && !row->empty() && row->front() == static_cast<char>(Reference);
}

bool BulkTableWriter::erase_rows(const std::string& prefix, uint64_t& row_limit) {
  store::Cursor cursor(writing_, table_);
  for (bool has_row = cursor.seek(prefix); has_row && cursor.key().starts_with(prefix); has_row = cursor.next()) {
    if (row_limit == 0) return false;
    --row_limit;
    cursor.erase_here();
  }
  return true;
}

RangeWriter::RangeWriter(store::WriteTransaction& writing, const store::Table& table, BulkState& bulk)
    : writing_(writing), table_(table), bulk_(bulk) {}

void RangeWriter::add(RangeSet set, const model::Quad& quad) {
  Set& to = sets_[set.number()];
  to.rows.push_back(store::to_row(order, quad));
  ++bulk_.rows[set.number()];
  if (to.rows.size() < gathered_max) return;
  to.encoder.add(to.rows, to.blocks);
  to.rows.clear();
  write_blocks(set);
}

void RangeWriter::finish() {
  for (size_t set = 0; set < range_sets; ++set) {
    Set& to = sets_[set];
    to.encoder.add(to.rows, to.blocks);
    to.encoder.finish(to.blocks);
    write_blocks(RangeSet::of_number(set));
  }
}

void RangeWriter::write_blocks(RangeSet set) {
  BulkTableWriter bulks(writing_, table_);
  std::vector<store::EncodedBlock>& blocks = sets_[set.number()].blocks;
  bulks.add_range(bulk_.number, set, blocks);
  blocks.clear();
}

}  // namespace quadrille::log
