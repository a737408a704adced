#include "reconcile/staged_changeset.h"

#include <fmt/format.h>

#include "log/window_ranges.h"
#include "reconcile/remote_changesets.h"

namespace quadrille::reconcile {
namespace {

using model::QuadOrder;

// Of a step.
constexpr uint64_t operations_to_read = 4'096;
constexpr size_t rows_to_merge = 16'384;
constexpr size_t rows_to_sort = 65'536;
constexpr uint64_t rows_to_drop = 100'000;
// The writer remembers the hashes of so many terms (store/term_hash_cache.h); a changeset of more has a place for its
// own.
constexpr uint64_t operations_with_hashes_min = 100'000;

constexpr size_t orders = 4;
// GSPO first: the comparison goes that way.
constexpr std::array<QuadOrder, orders> order_of_work = {QuadOrder::Gspo, QuadOrder::Spog, QuadOrder::Posg,
                                                         QuadOrder::Ospg};

// Which quads exist, asked in the order GSPO.
class ExistingQuads {
 public:
  explicit ExistingQuads(const model::QuadSource& quads)
      : scan_(quads.scan(QuadOrder::Gspo, {}, model::ColumnSet::all())) {
    for (size_t i = 0; i < row_.size(); ++i) batch_.columns[static_cast<size_t>(columns[i])] = &row_[i];
    batch_.capacity = 1;
    has_row_ = scan_->next(batch_) == 1;
  }
  bool has(const store::QuadRow& row) {
    if (has_row_ && row_ < row) {
      scan_->skip_to(row);
      has_row_ = scan_->next(batch_) == 1;
    }
    return has_row_ && row_ == row;
  }

 private:
  static constexpr std::array<model::Column, 4> columns = {model::Column::Graph, model::Column::Subject,
                                                           model::Column::Predicate, model::Column::Object};
  std::unique_ptr<model::QuadScan> scan_;
  model::ScanBatch batch_;
  store::QuadRow row_;
  bool has_row_ = false;
};

// Only the marked ones stay; marks there are none then.
void keep_marked_rows(SortedPart& part) {
  if (part.marks.empty()) return;
  size_t kept = 0;
  for (size_t row = 0; row < part.rows.size(); ++row) {
    if (part.marks[row]) part.rows[kept++] = part.rows[row];
  }
  part.rows.resize(kept);
  part.marks = {};
}

// The quads of a chunk, with their marks.
SortedPart part_of(std::span<const log::QuadOperation> operations) {
  std::vector<std::pair<store::QuadRow, bool>> rows;
  rows.reserve(operations.size());
  for (const auto& [quad, exists] : operations) rows.emplace_back(store::to_row(QuadOrder::Gspo, quad), exists);
  std::sort(rows.begin(), rows.end());
  SortedPart part;
  for (const auto& [row, exists] : rows) {
    part.rows.push_back(row);
    part.marks.push_back(exists);
  }
  return part;
}

}  // namespace

base::Result<std::optional<ApplyReport>> LmdbStagedChangeset::step(Writing& writing) {
  durable_run_ = run_;
  switch (phase_) {
    case Phase::Beginning: QUADRILLE_TRY(begin(writing)); break;
    case Phase::Reading: QUADRILLE_TRY(read_chunks(writing)); break;
    case Phase::Comparing: QUADRILLE_TRY(compare(writing)); break;
    case Phase::Ordering: order_quads(writing); break;
    case Phase::Entering: {
      QUADRILLE_ASSIGN(ApplyReport report, enter(writing));
      return std::optional(std::move(report));
    }
  }
  return std::optional<ApplyReport>();
}

bool LmdbStagedChangeset::give_up(Writing& writing) {
  bulk_.give_up();
  return !durable_run_ || writing.quads.drop_run(*durable_run_, rows_to_drop);
}

base::Result<void> LmdbStagedChangeset::begin(Writing& writing) {
  const log::ChangesetHeader& header = changeset_.header;
  QUADRILLE_TRY(RemoteChangesets(writing).check_header(header));
  const auto origin = writing.state.find(header.id.origin);
  QUADRILLE_TRY(
      RemoteChangesets::check_hash(changeset_, origin ? writing.state.origins[*origin].hash : log::ChangesetHash{}));
  bulk_.begin(writing.state);
  assignments_ = writing.memory.assignments.changes();
  if (header.operation_count >= operations_with_hashes_min) {
    hashes_.emplace(writing.quads.store().directory(), writing.quads.next_term());
  }
  phase_ = Phase::Reading;
  return {};
}

base::Result<void> LmdbStagedChangeset::read_chunks(Writing& writing) {
  RemoteChangesets remote(writing);
  log::BulkTableWriter bulks(writing.quads.tables(), writing.tables.log.bulk);
  const log::ChangesetHeader& header = changeset_.header;
  for (const uint64_t end = operations_read_ + operations_to_read;
       chunks_read_ < header.chunk_count && operations_read_ < end; ++chunks_read_) {
    std::string& chunk = changeset_.chunks[chunks_read_];
    QUADRILLE_ASSIGN(log::Operations operations, remote.take_chunk(header, chunk));
    chunk = {};
    bulks.add_operations(bulk_.number(), chunks_read_, {operations.quads, operations.cells, operations.announcements});
    operations_read_ += operations.size();
    note_hashes(writing, operations.quads);
    if (!operations.quads.empty()) parts_.push_back(part_of(operations.quads));
    std::move(operations.cells.begin(), operations.cells.end(), std::back_inserter(cells_));
    std::move(operations.announcements.begin(), operations.announcements.end(), std::back_inserter(announcements_));
  }
  if (chunks_read_ < header.chunk_count) return {};
  if (operations_read_ != header.operation_count) {
    return base::Error{base::ErrorKind::InvalidInput,
                       fmt::format("changeset {}:{} has {} operations; expected {}", to_string(header.id.origin),
                                   header.id.seq, operations_read_, header.operation_count),
                       {}};
  }
  merge_.emplace(parts_);
  for (auto& encoder : range_encoders_) encoder.emplace(QuadOrder::Gspo);
  run_encoder_.emplace(order_of_work[0]);
  phase_ = Phase::Comparing;
  return {};
}

// Now they are at hand; when all quads are compared, in another order, they may be so no more.
void LmdbStagedChangeset::note_hashes(Writing& writing, std::span<const log::QuadOperation> operations) {
  if (!hashes_) return;
  store::QuadHasher hasher = writing.quads.hasher();
  for (const log::QuadOperation& operation : operations) {
    const model::Quad& quad = operation.quad;
    for (model::TermId id : {quad.subject, quad.predicate, quad.object, quad.graph}) {
      hashes_->set(id, hasher.hash_of(id));
    }
  }
}

base::Result<void> LmdbStagedChangeset::compare(Writing& writing) {
  const store::WriteTransaction& tables = writing.quads.tables();
  const log::SeenVector seen(changeset_.header.dependencies, writing.state);
  const bool has_rows = tables.row_count(writing.tables.log.window) > 0;
  log::WindowRanges ranges(tables, writing.tables.log.bulk, writing.state);
  store::QuadHasher hasher = writing.quads.hasher(hashes_ ? &*hashes_ : nullptr);
  {
    ExistingQuads existing(writing.quads);
    for (size_t count = 0; count < rows_to_merge && merge_->at_row(); ++count, merge_->next()) {
      const store::QuadRow row = merge_->row();
      if (last_row_ == row) {
        return base::Error{base::ErrorKind::InvalidInput, "a changeset asserts one quad twice", {}};
      }
      last_row_ = row;
      const model::Quad quad = store::to_quad(QuadOrder::Gspo, row);
      const bool exists = merge_->mark();
      const bool existed = existing.has(row);
      const bool has_row = has_rows && tables.contains(writing.tables.log.window, log::cell_key(log::quad_cell(quad)));
      if (writing.memory.assignments.is_in_transition(quad.graph, quad.predicate, writing.quads)) {
        bulk_.note_concurrent(quad);
      } else if (has_row) {
        bulk_.note_row(quad);
      } else if (!ranges.is_empty()) {
        const auto history = ranges.find(quad, existed);
        if (history && !log::has_seen_all(seen, log::CellKind::Quad, history->row)) bulk_.note_concurrent(quad);
      }
      const log::RangeSet set{existed, exists};
      range_rows_[set.number()].push_back(row);
      bulk_.count_rows(set, 1);
      const bool is_new = exists && !existed;
      merge_->mark() = is_new;
      if (is_new) {
        run_rows_.push_back(row);
        statistics_.add(quad, 1, hasher.hash(quad));
      }
      if (existed && !exists) erased_.push_back(quad);
    }
  }
  const bool is_end = !merge_->at_row();
  append_to_range(writing, is_end);
  append_to_run(writing, is_end);
  if (!is_end) return {};
  phase_ = Phase::Ordering;
  begin_order();
  return {};
}

void LmdbStagedChangeset::append_to_range(Writing& writing, bool is_end) {
  log::BulkTableWriter bulks(writing.quads.tables(), writing.tables.log.bulk);
  for (size_t set = 0; set < log::range_sets; ++set) {
    std::vector<store::EncodedBlock> blocks;
    range_encoders_[set]->add(range_rows_[set], blocks);
    if (is_end) range_encoders_[set]->finish(blocks);
    range_rows_[set].clear();
    bulks.add_range(bulk_.number(), log::RangeSet::of_number(set), blocks);
  }
}

void LmdbStagedChangeset::append_to_run(Writing& writing, bool is_end) {
  std::vector<store::EncodedBlock> blocks;
  run_encoder_->add(run_rows_, blocks);
  if (is_end) run_encoder_->finish(blocks);
  run_rows_.clear();
  if (blocks.empty()) return;
  if (!run_) run_ = writing.quads.start_run();
  writing.quads.append_run(*run_, order_of_work[order_], blocks);
}

void LmdbStagedChangeset::begin_order() {
  merge_.reset();
  parts_ordered_ = 0;
  if (++order_ < orders && run_) {
    run_encoder_.emplace(order_of_work[order_]);
  } else {
    parts_ = {};
    phase_ = Phase::Entering;
  }
}

void LmdbStagedChangeset::order_quads(Writing& writing) {
  if (!merge_) {
    const QuadOrder before = order_of_work[order_ - 1];
    const QuadOrder now = order_of_work[order_];
    for (size_t rows = 0; parts_ordered_ < parts_.size() && rows < rows_to_sort; ++parts_ordered_) {
      SortedPart& part = parts_[parts_ordered_];
      rows += part.rows.size();
      keep_marked_rows(part);  // what is not new has no place in the run
      for (store::QuadRow& row : part.rows) row = store::to_row(now, store::to_quad(before, row));
      std::sort(part.rows.begin(), part.rows.end());
    }
    if (parts_ordered_ == parts_.size()) merge_.emplace(parts_);
    return;
  }
  for (size_t count = 0; count < rows_to_merge && merge_->at_row(); ++count, merge_->next()) {
    run_rows_.push_back(merge_->row());
  }
  const bool is_end = !merge_->at_row();
  append_to_run(writing, is_end);
  if (is_end) begin_order();
}

base::Result<ApplyReport> LmdbStagedChangeset::enter(Writing& writing) {
  RemoteChangesets remote(writing);
  QUADRILLE_TRY(remote.check_header(changeset_.header));
  if (assignments_ != writing.memory.assignments.changes()) {
    return base::Error{base::ErrorKind::Busy, "the policy assignment changed while a changeset was taken in", {}};
  }
  QUADRILLE_ASSIGN(const auto cells, bulk_.cells_to_decide(writing));
  // The run is switched in, and what is to be decided is as it was, for the decision to change.
  const auto is_in_run = [](const StagedBulk::CellToDecide& cell) { return cell.set.exists && !cell.set.existed; };
  store::Transaction& quads = writing.quads;
  for (const auto& cell : cells) {
    if (is_in_run(cell) && cell.existed) quads.erase(cell.quad);
  }
  if (run_) quads.activate_run(*run_, statistics_);
  std::vector<log::QuadOperation> to_decide;
  for (const auto& cell : cells) {
    if (is_in_run(cell) && !cell.existed) quads.erase(cell.quad);
    to_decide.push_back({cell.quad, cell.set.exists});
  }
  auto decided = cells.begin();
  for (const model::Quad& quad : erased_) {
    const auto is_before = [](const StagedBulk::CellToDecide& cell, const model::Quad& other) {
      return log::comes_before(cell.quad, other);
    };
    decided = std::lower_bound(decided, cells.end(), quad, is_before);
    if (decided == cells.end() || decided->quad != quad) quads.erase(quad);
  }
  return remote.enter(changeset_.header, bulk_, std::move(to_decide), std::move(cells_), announcements_);
}

}  // namespace quadrille::reconcile
