// Takes in changesets of other sites. DESIGN sections 3 and 4.
//
// For each changeset, in the order in which they are given:
//   1. One that is here already is skipped. Else it must be its origin's next, depend only on what is here, and its
//      hash must follow from its bytes and from the hash of the one before it.
//   2. Its chunks are decoded, its terms interned in bulk, its operations put into the log in ids of this store.
//   3. For each cell, in the order of the window's table: if it has seen all versions in the cell's window, the cell
//      holds what it left, and nothing is decoded. Else it is concurrent with a version there, and the cell is
//      evaluated by components (cell_evaluator.h). It is then part of the last component, because nothing that is here
//      has seen it; so earlier components are what they were.
//   4. The difference to the visible quads is written.
// A changeset with many operations has a bulk (log/bulk_table.h), and a range in the window.
#pragma once

#include <span>

#include "reconcile/conflict_table.h"
#include "reconcile/mixed_cells.h"
#include "reconcile/window.h"
#include "reconcile/writing.h"

namespace quadrille::reconcile {

class RemoteChangesets {
 public:
  explicit RemoteChangesets(Writing& writing)
      : writing_(writing), quads_(writing.quads), conflicts_(writing.quads.tables(), writing.tables.conflicts) {}

  // After an error the transaction is to be dropped.
  base::Result<ApplyReport> apply(std::span<const log::ShippedChangeset> changesets);

  // Its parts, for a changeset that is taken in step by step (staged_changeset.h). `previous` of check_hash: the hash
  // of the origin's changeset before.
  base::Result<void> check_header(const log::ChangesetHeader& header) const;
  static base::Result<void> check_hash(const log::ShippedChangeset& changeset, const log::ChangesetHash& previous);
  // In ids of this store, cells checked.
  base::Result<log::Operations> take_chunk(const log::ChangesetHeader& header, std::string_view bytes);
  // Its bulk has been written, and its quads are in the store, but for those whose cells are to be decided.
  base::Result<ApplyReport> enter(const log::ChangesetHeader& header, const StagedBulk& bulk,
                                  std::vector<log::QuadOperation> to_decide, std::vector<log::CellOperation> cells,
                                  const std::vector<log::Announcement>& announcements);

 private:
  base::Result<void> check_repeated(const log::ChangesetHeader& header) const;
  std::optional<log::Stamp> stamp_of(log::OriginNumber origin, uint64_t seq) const;
  base::Result<log::Operations> take_chunks(const log::ShippedChangeset& changeset, log::ChangesetKey key,
                                            uint64_t bulk);
  base::Result<void> check_cells(const log::ChangesetHeader& header, const log::Operations& operations);
  base::Result<void> take_announcements(const log::ChangesetHeader& header,
                                        const std::vector<log::Announcement>& announcements);
  base::Result<void> apply_one(const log::ShippedChangeset& changeset);
  // The header is in the log, the state knows it.
  log::SeenVector add_header(log::ChangesetKey key, const log::ChangesetHeader& header, uint64_t bulk);

  // `in_range`: versions may stand in the changeset's range; else all get rows.
  base::Result<void> apply_quads(log::ChangesetKey changeset, const log::SeenVector& seen,
                                 std::vector<log::QuadOperation> operations, Window& window, bool in_range);
  base::Result<void> apply_cells(log::ChangesetKey changeset, const log::SeenVector& seen,
                                 std::vector<log::CellOperation> operations, Window& window);
  // The cell's history with the new version in it, as it was found before; writes what it evaluates to.
  void evaluate(const log::Cell& cell, std::string_view key, const Window::Found& found,
                const log::WindowVersion& version, const log::SeenVector& seen, Window& window);
  // What apply_quads() and apply_cells() found to be of cells in transition.
  void evaluate_mixed(const log::SeenVector& seen, Window& window);

  Writing& writing_;
  store::Transaction& quads_;
  ConflictTableWriter conflicts_;
  MixedVersions mixed_;
  ApplyReport report_;
};

}  // namespace quadrille::reconcile
