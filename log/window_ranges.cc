#include "log/window_ranges.h"

#include <algorithm>

#include "log/history_window.h"

namespace quadrille::log {

WindowRanges::WindowRanges(const store::ReadTransaction& reading, const store::Table& table, const LogState& state) {
  std::vector<const BulkState*> open;
  for (const BulkState& bulk : state.bulks) {
    if (bulk.stage == BulkStage::Open && bulk.range_rows() > 0) open.push_back(&bulk);
  }
  std::sort(open.begin(), open.end(),
            [](const auto* left, const auto* right) { return left->position < right->position; });
  for (const BulkState* bulk : open) {
    ranges_.push_back({bulk->number, bulk->origin, bulk->seq, {reading, table, bulk->number, bulk->rows}});
  }
}

std::optional<WindowRanges::History> WindowRanges::find(const model::Quad& quad, bool exists) {
  // The last range that holds it says whether it exists: as a rule none does, and half of the sets need no look.
  const bool is_known =
      std::any_of(ranges_.begin(), ranges_.end(), [&](Range& range) { return range.quads.says(quad, exists); });
  if (!is_known) return std::nullopt;
  const Cell cell = quad_cell(quad);
  const CellContent here{{quad.predicate, quad.object}};
  History history;
  for (Range& range : ranges_) {
    const auto set = range.quads.find(quad);
    if (!set) continue;
    if (history.bulks.empty()) history.row = empty_history(cell, set->existed ? here : CellContent{});
    append_version(history.row, cell, {range.origin, range.seq, {}, set->exists ? here : CellContent{}});
    history.bulks.push_back(range.bulk);
  }
  return history;
}

}  // namespace quadrille::log
