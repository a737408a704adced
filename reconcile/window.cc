#include "reconcile/window.h"

namespace quadrille::reconcile {

Window::Window(Writing& writing, log::ChangesetKey changeset, uint64_t bulk)
    : writing_(writing),
      tables_(writing.quads.tables()),
      changeset_(changeset),
      bulk_(bulk),
      has_rows_(tables_.row_count(writing.tables.log.window) > 0),
      ranges_(tables_, writing.tables.log.bulk, writing.state),
      bulks_(tables_, writing.tables.log.bulk) {
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
  auto history = ranges_.find({cell.subject, cell.property, cell.object, cell.graph}, exists);
  if (!history) return {};
  return {std::move(history->row), std::move(history->bulks)};
}

void Window::add_seen_quad(const model::Quad& quad, std::string_view key, const Found& found, bool existed,
                           bool exists) {
  const bool has_own_row = found.row && found.bulks.empty();
  if (range_ && !has_own_row) return range_->add({existed, exists}, quad);
  const log::Cell cell{log::CellKind::Quad, quad.graph, quad.subject, quad.predicate, quad.object};
  const log::CellContent here{{quad.predicate, quad.object}};
  const log::CellContent nothing;
  std::string row = found.row ? *found.row : log::empty_history(cell, existed ? here : nothing);
  log::append_version(row, cell, {changeset_.origin, changeset_.seq, {}, exists ? here : nothing});
  put_row(key, row, found);
}

void Window::put_row(std::string_view key, std::string_view row, const Found& found) {
  tables_.put(writing_.tables.log.window, key, row);
  for (const uint64_t bulk : found.bulks) {
    bulks_.add_cell(bulk, key);
    ++state_of(bulk).rows_taken;
  }
  if (bulk_ != 0) bulks_.add_cell(bulk_, key);
}

void Window::finish() {
  if (!range_) return;
  range_->finish();
  state_of(bulk_).rows = own_->rows;
}

log::BulkState& Window::state_of(uint64_t bulk) {
  log::BulkState* state = writing_.state.find_bulk(bulk);
  QUADRILLE_CHECK(state, "a bulk that the log's state does not know");
  return *state;
}

}  // namespace quadrille::reconcile
