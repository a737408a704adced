// The history window as one changeset that enters meets it: what it finds of each cell, and what it leaves there.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "log/bulk_table.h"
#include "log/history_window.h"
#include "log/window_ranges.h"
#include "reconcile/staged_bulk.h"
#include "reconcile/writing.h"

namespace quadrille::reconcile {

class Window {
 public:
  // For a changeset with operations enough, `bulk` is the number of its bulk; else 0.
  Window(Writing& writing, log::ChangesetKey changeset, uint64_t bulk);

  // What a cell had before. Nothing in `row`: no history.
  struct Found {
    std::optional<std::string> row;  // its own in the window, or what one would be
    std::vector<uint64_t> bulks;     // in whose ranges that history lies
  };
  Found find(const log::Cell& cell, std::string_view key) const;
  // Of a quad cell of which the caller knows whether its quad exists.
  Found find(const log::Cell& cell, std::string_view key, bool exists);

  // Adds the changeset's version of a quad cell, all of whose versions it has seen: to its range, or to the cell's row.
  // In the order GSPO.
  void add_seen_quad(const model::Quad& quad, std::string_view key, const Found& found, bool existed, bool exists);
  void add_seen_quad(const model::Quad& quad, bool existed, bool exists);
  // The same, but in any case to its row.
  void add_row(const model::Quad& quad, std::string_view key, const Found& found, bool existed, bool exists);
  void add_row(const model::Quad& quad, bool existed, bool exists);
  log::WindowVersion version(log::CellContent saw, log::CellContent left) const {
    return {changeset_.origin, changeset_.seq, std::move(saw), std::move(left)};
  }
  // The cell's row is now this one, the changeset's version is in it.
  void put_row(std::string_view key, std::string_view row, const Found& found);
  // To be called once, at the end. `staged`: the changeset's range was written before; that many cells of it have got a
  // row here.
  void finish(const StagedBulk* staged = nullptr, uint64_t rows_taken = 0);

 private:
  log::BulkState& state_of(uint64_t bulk);
  void note_touched(const model::Quad& quad);

  Writing& writing_;
  store::WriteTransaction& tables_;
  log::ChangesetKey changeset_;
  uint64_t bulk_;
  bool has_rows_;  // before this changeset
  log::WindowRanges ranges_;
  log::BulkTableWriter bulks_;
  std::vector<std::shared_ptr<TouchedCells>> watches_;
  std::optional<log::BulkState> own_;  // counts what the range gets
  std::optional<log::RangeWriter> range_;
};

}  // namespace quadrille::reconcile
