// A received changeset that is too large for one job of the writer: taken in step by step, beside whatever else is
// written, and switched in by the last step.
//
//   Reading    The chunks are decoded, their terms interned, their operations put into the bulk's log
//   (log/bulk_table.h). Comparing  All quads in the order GSPO are compared with the store and the window as they are
//   by now, and become
//              the bulk's range. Those that are new begin a run that no reader sees (engine/store/run.h).
//   Ordering   The run gets its other orders.
//   Entering   Cells in conflict, and those that somebody touched since, are decided as those of a small changeset
//              (remote_changesets.h); then the run is switched in, and the changeset is here.
//
// A step takes some tens of milliseconds; the last one also takes as long as its cells with a history of their own
// take, its value and record cells, and its deletions. In memory: the changeset as it came, and 33 bytes a quad.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "engine/store/run.h"
#include "engine/store/statistics.h"
#include "engine/store/term_hash_file.h"
#include "reconcile/sorted_parts.h"
#include "reconcile/staged_bulk.h"

namespace quadrille::reconcile {

class LmdbStagedChangeset final : public StagedChangeset {
 public:
  LmdbStagedChangeset(log::ShippedChangeset changeset, const SiteTables& tables, WriterMemory& memory)
      : changeset_(std::move(changeset)), bulk_(tables, memory) {}

  const log::ChangesetHeader& header() const override { return changeset_.header; }

  // A report: it is in. Nothing: call again, in another job. After an error, or if the step is not committed, it is to
  // be given up.
  base::Result<std::optional<ApplyReport>> step(Writing& writing);
  // True: its run is gone, its bulk is left to the sweeps. Else call again.
  bool give_up(Writing& writing);

 private:
  enum class Phase : uint8_t { Beginning, Reading, Comparing, Ordering, Entering };

  base::Result<void> begin(Writing& writing);
  base::Result<void> read_chunks(Writing& writing);
  void note_hashes(Writing& writing, std::span<const log::QuadOperation> operations);
  base::Result<void> compare(Writing& writing);
  void order_quads(Writing& writing);
  base::Result<ApplyReport> enter(Writing& writing);

  void begin_order();
  void append_to_run(Writing& writing, bool is_end);
  void append_to_range(Writing& writing, bool is_end);

  log::ShippedChangeset changeset_;
  StagedBulk bulk_;
  Phase phase_ = Phase::Beginning;
  uint64_t assignments_ = 0;  // AssignmentHistory::changes() when it began

  uint32_t chunks_read_ = 0;
  uint64_t operations_read_ = 0;
  std::vector<SortedPart> parts_;          // marks: exists; once compared: is new
  std::vector<log::CellOperation> cells_;  // all of them
  std::vector<log::Announcement> announcements_;
  std::vector<model::Quad> erased_;  // that existed, and no longer shall

  std::optional<PartsMerge> merge_;
  std::optional<store::QuadRow> last_row_;
  size_t order_ = 0;          // of the run, that is being written; numbers of model::QuadOrder
  size_t parts_ordered_ = 0;  // have their rows in it
  std::array<std::vector<store::QuadRow>, log::range_sets> range_rows_;  // that the encoders have not got yet
  std::vector<store::QuadRow> run_rows_;
  std::array<std::optional<store::RunEncoder>, log::range_sets> range_encoders_;
  std::optional<store::RunEncoder> run_encoder_;
  std::optional<store::RunNumber> run_;
  // The same once a commit has it, as the next step's coming shows: if that commit failed, the number is another's.
  std::optional<store::RunNumber> durable_run_;
  store::StatisticsChange statistics_;
  std::optional<store::TermHashFile> hashes_;  // of the terms that are new with it, where those are many
};

}  // namespace quadrille::reconcile
