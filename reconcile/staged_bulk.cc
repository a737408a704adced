#include "reconcile/staged_bulk.h"

#include <algorithm>

#include "log/history_window.h"
#include "log/range_stream.h"

namespace quadrille::reconcile {
namespace {

void sort_unique(std::vector<model::Quad>& quads) {
  std::sort(quads.begin(), quads.end(), log::comes_before);
  quads.erase(std::unique(quads.begin(), quads.end()), quads.end());
}

}  // namespace

void StagedBulk::begin(log::LogState& state) {
  number_ = state.add_bulk().number;
  touched_ = std::make_shared<TouchedCells>(number_);
  memory_.watches.push_back(touched_);
}

bool StagedBulk::find_rows(const store::ReadTransaction& reading, std::string& from, size_t row_limit) {
  log::BulkRange range(reading, tables_.log.bulk, number_, rows_);
  store::Cursor cursor(reading, tables_.log.window);
  size_t looked_at = 0;
  for (bool has_row = cursor.seek(from); has_row; has_row = cursor.next()) {
    const log::Cell cell = log::cell_of_key(cursor.key());
    if (cell.kind != log::CellKind::Quad) return false;  // they come after all quad cells
    if (looked_at++ == row_limit) {
      from = cursor.key();
      return true;
    }
    const model::Quad quad = log::quad_of(cell);
    if (range.find(quad)) with_rows_.push_back(quad);
  }
  return false;
}

base::Result<std::vector<StagedBulk::CellToDecide>> StagedBulk::cells_to_decide(const Writing& writing) {
  if (touched_->is_too_many()) {
    return base::Error{
        base::ErrorKind::Busy, "too much was written while it was prepared; it has to be done again", {}};
  }
  const store::WriteTransaction& tables = writing.quads.tables();
  std::vector<model::Quad> touched = touched_->quads();
  for (const uint64_t other : touched_->bulks()) {
    for (size_t theirs = 0; theirs < log::range_sets; ++theirs) {
      for (size_t ours = 0; ours < log::range_sets; ++ours) {
        if (rows_[ours] == 0) continue;
        log::RangeStream one(tables, tables_.log.bulk, other, log::RangeSet::of_number(theirs));
        log::RangeStream another(tables, tables_.log.bulk, number_, log::RangeSet::of_number(ours));
        for (const model::Quad& quad : common_quads(one, another)) touched.push_back(quad);
      }
    }
  }
  sort_unique(touched);
  std::vector<model::Quad> quads = std::move(touched);
  quads.insert(quads.end(), concurrent_.begin(), concurrent_.end());
  for (const model::Quad& quad : with_rows_) {
    // A row that was folded since says nothing any more.
    if (tables.contains(tables_.log.window, log::cell_key(log::quad_cell(quad)))) quads.push_back(quad);
  }
  sort_unique(quads);
  log::BulkRange range(tables, tables_.log.bulk, number_, rows_);
  std::vector<CellToDecide> cells;
  for (const model::Quad& quad : quads) {
    if (const auto set = range.find(quad)) cells.push_back({quad, *set, writing.quads.contains(quad)});
  }
  return cells;
}

}  // namespace quadrille::reconcile
