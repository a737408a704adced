// A SiteSnapshot on LMDB.
#pragma once

#include "log/change_log.h"
#include "reconcile/writing.h"

namespace quadrille::reconcile {

class LmdbSiteSnapshot final : public SiteSnapshot {
 public:
  LmdbSiteSnapshot(const store::Store& store, const SiteTables& tables, model::TermId conflicts_graph,
                   size_t readers = 1);

  std::unique_ptr<model::QuadScan> scan(model::QuadOrder order, std::span<const model::TermId> prefix,
                                        model::ColumnSet wanted) const override {
    return quads_.scan(order, prefix, wanted);
  }
  uint64_t estimate_count(model::QuadOrder order, std::span<const model::TermId> prefix) const override {
    return quads_.estimate_count(order, prefix);
  }
  bool contains(const model::Quad& quad) const override { return quads_.contains(quad); }
  std::optional<model::TermId> find_term(const model::Term& term) const override { return quads_.find_term(term); }
  model::Term get_term(model::TermId id) const override { return quads_.get_term(id); }
  std::unique_ptr<model::QuadSource> make_twin() const override { return quads_.make_twin(); }
  uint64_t blocks_read() const override { return quads_.blocks_read(); }

  log::VersionVector version_vector() const override { return state_.version_vector(); }
  log::VersionVector folded_vector() const override { return state_.walked_vector(); }
  uint64_t quad_count() const override;
  log::ChangesetHash digest() const override;
  uint64_t window_cell_count() const override;
  uint64_t provisional_outcome_count() const override;
  uint64_t log_entry_count() const override { return log_.entry_count(); }
  std::vector<ConflictRecord> conflicts() const override {
    return read_conflicts(quads_.tables(), tables_.conflicts, quads_, state_);
  }
  uint64_t unpublished_conflict_count() const override {
    return quads_.tables().row_count(tables_.conflicts.unpublished);
  }
  NumberedAssignment assignment() const override;
  uint64_t last_position() const override { return state_.last_position; }
  uint64_t first_missing(const log::VersionVector& vector) const override { return log_.first_missing(state_, vector); }
  base::Result<log::ChangesetHeader> header_at(uint64_t position) const override;
  base::Result<log::ShippedChangeset> changeset_at(uint64_t position) const override;

  base::Result<std::string> chunk_at(uint64_t position, uint32_t chunk) const override;

  // Of the window's rows together: those of large changesets' ranges are not among them. Reads them all.
  uint64_t window_row_bytes() const;

  // For the offline check.
  const store::Snapshot& quads() const { return quads_; }
  const log::LogState& state() const { return state_; }
  const log::ChangeLog& log() const { return log_; }

 private:
  base::Result<std::pair<log::ChangesetKey, log::ChangesetHeader>> entry_at(uint64_t position) const;

  store::Snapshot quads_;
  const SiteTables& tables_;
  model::TermId conflicts_graph_;
  log::LogState state_;
  log::ChangeLog log_;
};

// The changeset, or a chunk of it, as it travels, from what the log keeps of it.
std::string ship_chunk(const log::ChangeLog& log, log::ChangesetKey changeset, uint32_t chunk,
                       const model::QuadSource& terms);
log::ShippedChangeset ship(const log::ChangeLog& log, log::ChangesetKey changeset, log::ChangesetHeader header,
                           const model::QuadSource& terms);

}  // namespace quadrille::reconcile
