#include "engine/store/estimate.h"

#include <algorithm>

#include "engine/store/block_table.h"
#include "engine/store/key.h"
#include "engine/store/quad_scan.h"

namespace quadrille::store {
namespace {

using model::QuadOrder;
using model::TermId;

// So many rows are counted one by one before anything is estimated; and at each end of a large range of the delta.
constexpr uint64_t counted_rows_max = 256;
constexpr uint64_t sampled_rows = 64;

uint64_t free_id(std::string_view key, size_t prefix_bytes) { return read_big_endian(key.data() + prefix_bytes); }

// From the first and the last rows of a range: how densely its ids lie there, and how far apart the ends are.
uint64_t estimate_between(Cursor& cursor, std::string_view prefix) {
  cursor.seek(prefix);
  const uint64_t low = free_id(cursor.key(), prefix.size());
  for (uint64_t i = 0; i < sampled_rows; ++i) cursor.next();
  const uint64_t low_end = free_id(cursor.key(), prefix.size());
  const std::string after = after_prefix(prefix);
  after.empty() ? cursor.last() : cursor.seek_before(after);
  const uint64_t high = free_id(cursor.key(), prefix.size());
  for (uint64_t i = 0; i < sampled_rows; ++i) cursor.previous();
  const uint64_t high_start = free_id(cursor.key(), prefix.size());
  const double sampled_width = static_cast<double>(low_end - low) + static_cast<double>(high - high_start) + 1;
  const double width = static_cast<double>(high - low) + 1;
  return static_cast<uint64_t>(2.0 * static_cast<double>(sampled_rows) * std::max(1.0, width / sampled_width));
}

struct DeltaCount {
  uint64_t rows = 0;
  int64_t change = 0;  // present less erased
};

DeltaCount count_delta_rows(const ReadTransaction& transaction, const Table& table, std::string_view prefix) {
  DeltaCount count;
  Cursor cursor(transaction, table);
  for (bool at_row = cursor.seek(prefix); at_row && cursor.key().starts_with(prefix); at_row = cursor.next()) {
    ++count.rows;
    count.change += DeltaMark(cursor.value()).is_present() ? 1 : -1;
    if (count.rows <= counted_rows_max) continue;
    const uint64_t all = std::max(count.rows, estimate_between(cursor, prefix));
    const double share = static_cast<double>(count.change) / static_cast<double>(count.rows);
    return {all, static_cast<int64_t>(share * static_cast<double>(all))};
  }
  return count;
}

// No more than counted_rows_max + 1.
uint64_t count_rows(model::QuadScan& scan) {
  model::ScanBatch batch;
  batch.capacity = counted_rows_max + 1;
  return scan.next(batch);
}

}  // namespace

uint64_t estimate_quads(const QuadView& view, const Statistics& statistics, QuadOrder order,
                        std::span<const TermId> prefix) {
  if (prefix.empty()) return statistics.all().quads;
  const model::Column leading = columns_of(order)[0];
  if (prefix.size() == 1 && leading == model::Column::Predicate) return statistics.of_predicate(prefix[0]);
  if (prefix.size() == 1 && leading == model::Column::Graph) return statistics.of_graph(prefix[0]).quads;
  const DeltaCount delta = count_delta_rows(view.transaction, view.tables.delta_of(order), QuadKey(prefix).view());
  uint64_t in_blocks = 0;
  for (const ActiveRun& run : view.runs.active) {
    in_blocks += count_block_rows(view.transaction, view.tables.blocks_of(order), order, run.number, prefix);
  }
  if (delta.rows == 0) return in_blocks;
  if (in_blocks + delta.rows <= counted_rows_max) {
    return count_rows(*scan_quads(view, order, prefix, {}));
  }
  const int64_t sum = static_cast<int64_t>(in_blocks) + delta.change;
  return std::max<uint64_t>(
      1, std::min(static_cast<uint64_t>(std::max<int64_t>(sum, 1)), statistics.at_most(order, prefix)));
}

}  // namespace quadrille::store
