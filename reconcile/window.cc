#include "reconcile/window.h"

namespace quadrille::reconcile {
Window::Window(Writing& writing, log::ChangesetKey changeset, uint64_t bulk)
    : writing_(writing),
      tables_(writing.quads.tables()),
      changeset_(changeset),
      bulk_(bulk),
      has_rows_(tables_.row_count(writing.tables.log.window) > 0),
      ranges_(tables_, writing.tables.log.bulk, writing.state),
      bulks_(tables_, writing.tables.log.bulk),
      watches_(writing.memory.live_watches()) {
  if (bulk_ == 0) return;
  own_ = state_of(bulk_);
  range_.emplace(tables_, writing_.tables.log.bulk, *own_);
}

Window::Found Window::find(const log::Cell& cell, std::string_view key) const {
  QUADRILLE_CHECK(cell.kind != log::CellKind::Quad, "of a quad cell it must be said whether its quad exists");
  if (!has_rows_) return {};
  const auto row = tables_.get(writing_.tables.log.window, key);
  return {row ? std::optional<std::string>(*row) : std::nullopt, {}};
}

Window::Found Window::find(const log::Cell& cell, std::string_view key, bool exists) {
  if (has_rows_) {
    if (const auto row = tables_.get(writing_.tables.log.window, key)) return {std::string(*row), {}};
  }
  if (ranges_.is_empty()) return {};
  auto history = ranges_.find(log::quad_of(cell), exists);
  if (!history) return {};
  return {std::move(history->row), std::move(history->bulks)};
}

void Window::add_seen_quad(const model::Quad& quad, bool existed, bool exists) {
  const log::Cell cell = log::quad_cell(quad);
  const std::string key = log::cell_key(cell);
  add_seen_quad(quad, key, find(cell, key, existed), existed, exists);
}

void Window::add_seen_quad(const model::Quad& quad, std::string_view key, const Found& found, bool existed,
                           bool exists) {
  const bool has_own_row = found.row && found.bulks.empty();
  if (!range_ || has_own_row) return add_row(quad, key, found, existed, exists);
  note_touched(quad);
  range_->add({existed, exists}, quad);
}

void Window::add_row(const model::Quad& quad, bool existed, bool exists) {
  const log::Cell cell = log::quad_cell(quad);
  const std::string key = log::cell_key(cell);
  add_row(quad, key, find(cell, key, existed), existed, exists);
}

void Window::add_row(const model::Quad& quad, std::string_view key, const Found& found, bool existed, bool exists) {
  const log::Cell cell = log::quad_cell(quad);
  const log::CellContent here{{quad.predicate, quad.object}};
  const log::CellContent nothing;
  std::string row = found.row ? *found.row : log::empty_history(cell, existed ? here : nothing);
  log::append_version(row, cell, version({}, exists ? here : nothing));
  put_row(key, row, found);
}

void Window::put_row(std::string_view key, std::string_view row, const Found& found) {
  tables_.put(writing_.tables.log.window, key, row);
  if (!watches_.empty()) {
    const log::Cell cell = log::cell_of_key(key);
    if (cell.kind == log::CellKind::Quad) note_touched(log::quad_of(cell));
  }
  for (const uint64_t bulk : found.bulks) {
    bulks_.add_cell(bulk, key);
    ++state_of(bulk).rows_taken;
  }
  if (bulk_ != 0) bulks_.add_cell(bulk_, key);
}

void Window::finish(const StagedBulk* staged, uint64_t rows_taken) {
  if (!range_) return;
  range_->finish();
  log::BulkState& state = state_of(bulk_);
  state.rows = staged ? staged->rows() : own_->rows;
  state.rows_taken = rows_taken;
  if (!staged) return;
  for (const auto& watch : watches_) watch->add_bulk(bulk_);
}

void Window::note_touched(const model::Quad& quad) {
  for (const auto& watch : watches_) watch->add(quad);
}

log::BulkState& Window::state_of(uint64_t bulk) {
  log::BulkState* state = writing_.state.find_bulk(bulk);
  QUADRILLE_CHECK(state, "a bulk that the log's state does not know");
  return *state;
}

}  // namespace quadrille::reconcile
