#include "log/window_ranges.h"

#include <algorithm>

#include "log/bulk_table.h"
#include "log/history_window.h"
#include "log/stored_operations.h"

namespace quadrille::log {

WindowRanges::WindowRanges(const store::ReadTransaction& reading, const store::Table& table, const LogState& state)
    : reading_(reading), table_(table) {
  std::vector<const BulkState*> open;
  for (const BulkState& bulk : state.bulks) {
    if (bulk.stage == BulkStage::Open && bulk.range_rows() > 0) open.push_back(&bulk);
  }
  std::sort(open.begin(), open.end(),
            [](const auto* left, const auto* right) { return left->position < right->position; });
  for (const BulkState* bulk : open) {
    Range& range = ranges_.emplace_back(Range{bulk->number, bulk->origin, bulk->seq, {}});
    for (size_t number = 0; number < range_sets; ++number) {
      if (bulk->rows[number] == 0) continue;
      Part& part = *range.parts.emplace_back(std::make_unique<Part>());
      part.set = RangeSet::of_number(number);
      part.prefix = range_key(bulk->number, part.set);
    }
  }
}

std::optional<WindowRanges::History> WindowRanges::find(const model::Quad& quad, bool exists) {
  const store::QuadRow row = store::to_row(model::QuadOrder::Gspo, quad);
  // The last range that holds it says whether it exists: as a rule none does, and half of the sets need no look.
  const auto may_hold = [&](const std::unique_ptr<Part>& part) {
    return part->set.exists == exists && holds(*part, row);
  };
  const bool is_known = std::any_of(ranges_.begin(), ranges_.end(), [&](Range& range) {
    return std::any_of(range.parts.begin(), range.parts.end(), may_hold);
  });
  if (!is_known) return std::nullopt;
  const Cell cell{CellKind::Quad, quad.graph, quad.subject, quad.predicate, quad.object};
  const CellContent here{{quad.predicate, quad.object}};
  History history;
  for (Range& range : ranges_) {
    const Part* part = find_in(range, row);
    if (!part) continue;
    if (history.bulks.empty()) history.row = empty_history(cell, part->set.existed ? here : CellContent{});
    append_version(history.row, cell, {range.origin, range.seq, {}, part->set.exists ? here : CellContent{}});
    history.bulks.push_back(range.bulk);
  }
  return history;
}

const WindowRanges::Part* WindowRanges::find_in(Range& range, const store::QuadRow& row) const {
  for (const auto& part : range.parts) {
    if (holds(*part, row)) return part.get();
  }
  return nullptr;
}

bool WindowRanges::holds(Part& part, const store::QuadRow& row) const {
  const bool is_near = part.is_loaded && part.first <= row && row <= part.last;
  if (!is_near && !load(part, row)) return false;
  const size_t at = part.block.lower_bound(row, 0);
  return at < part.block.rows() && part.block.row(at) == row;
}

bool WindowRanges::load(Part& part, const store::QuadRow& row) const {
  const std::string key = part.prefix + std::string(store::QuadKey(row).view());
  store::Cursor cursor(reading_, table_);
  const bool has_row = cursor.find(key) || cursor.seek_before(key);
  if (!has_row || !cursor.key().starts_with(part.prefix)) return false;
  part.is_loaded = part.block.load(cursor.key().substr(part.prefix.size()), cursor.value());
  if (!part.is_loaded) fail_as_corrupt("log.bulk");
  part.first = part.block.row(0);
  part.last = part.block.row(part.block.rows() - 1);
  return true;
}

}  // namespace quadrille::log
