// What a large changeset keeps in log and history window, apart from small ones: its bulk. It can be written aside, in
// many short commits, before the changeset has a number and before anybody sees it, and is then switched in by one
// small commit that changes its stage (log_state.h). Large changesets are those of which a row a cell would cost too
// much: a load, or a received one.
//
// Table "log.bulk". Key: the bulk's number (8 bytes, big-endian), the part (a byte), and
//   part 0, operations: chunk (8 bytes) -> the byte 0 and operations in ids (stored_operations.h), or the byte 1 and
//           where in the range they stand: set (a byte), the first quad (4 x 8 bytes, big-endian), the number of quads
//   part 1, the range: set (a byte), first quad -> a block of quads in the order GSPO (engine/store/block.h)
//   part 2, cells: cell key (history_window.h) -> nothing: the cells of the changeset that have a row in "log.window"
//
// The range is the history of those quad cells that have no row of their own in the window (window_ranges.h). With 1.4
// bytes a quad it takes a twentieth of the rows' room.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/quad.h"
#include "engine/store/environment.h"
#include "engine/store/quad_row.h"
#include "engine/store/run.h"
#include "log/changeset_codec.h"
#include "log/log_state.h"

namespace quadrille::log {

enum class BulkPart : uint8_t { Operations = 0, Range = 1, Cells = 2 };

// The start of the keys of a part, and of those of one set of its range.
std::string bulk_key(uint64_t bulk, BulkPart part);
std::string range_key(uint64_t bulk, RangeSet set);

// Reads of one transaction, which must outlive it.
class BulkTable {
 public:
  BulkTable(const store::ReadTransaction& reading, const store::Table& table) : reading_(reading), table_(table) {}

  std::optional<Operations> find_operations(uint64_t bulk, uint32_t chunk) const;
  // The next quads of a set in the order GSPO, `count` or less, from `first` on. Fewer only at the end.
  std::vector<model::Quad> read_range(uint64_t bulk, RangeSet set, const store::QuadRow& first, size_t count) const;
  // Cell keys, `count` or less, of those that the part has, in order.
  std::vector<std::string> first_cells(uint64_t bulk, size_t count) const;
  bool has_cell(uint64_t bulk, std::string_view cell_key) const;
  bool is_by_reference(uint64_t bulk) const;  // its operations refer to its range

 protected:
  const store::ReadTransaction& reading_;
  const store::Table& table_;
};

class BulkTableWriter : public BulkTable {
 public:
  BulkTableWriter(store::WriteTransaction& writing, const store::Table& table)
      : BulkTable(writing, table), writing_(writing) {}

  void add_operations(uint64_t bulk, uint32_t chunk, const OperationsView& operations);
  // The same by reference: `count` quads of the range's set, from `first` on.
  void add_reference(uint64_t bulk, uint32_t chunk, RangeSet set, const model::Quad& first, size_t count);
  // Blocks of the order GSPO, each of a set once.
  void add_range(uint64_t bulk, RangeSet set, std::span<const store::EncodedBlock> blocks);
  void add_cell(uint64_t bulk, std::string_view cell_key);
  void erase_cell(uint64_t bulk, std::string_view cell_key);

  // Removes what is of no more use, `row_limit` rows or less, and forgets bulks of which nothing is left: settled
  // ranges, what is trimmed, and what is staged. Keeps all of the bulks `in_use` (those that somebody still writes, or
  // reads aside). True if it came to the end.
  bool sweep(LogState& state, std::span<const uint64_t> in_use, uint64_t row_limit);

 private:
  // True if there are no more; `row_limit` is counted down.
  bool erase_rows(const std::string& prefix, uint64_t& row_limit);
  store::WriteTransaction& writing_;
};

// Writes the range of one bulk: quads ascending by GSPO in each set by itself.
class RangeWriter {
 public:
  // All must outlive it; `bulk` counts the rows.
  RangeWriter(store::WriteTransaction& writing, const store::Table& table, BulkState& bulk);
  void add(RangeSet set, const model::Quad& quad);
  void finish();  // once, at the end

 private:
  struct Set {
    std::vector<store::QuadRow> rows;  // that the encoder has not got yet
    store::RunEncoder encoder{model::QuadOrder::Gspo};
    std::vector<store::EncodedBlock> blocks;
  };
  void write_blocks(RangeSet set);
  store::WriteTransaction& writing_;
  const store::Table& table_;
  BulkState& bulk_;
  std::array<Set, range_sets> sets_;
};

}  // namespace quadrille::log
