// A local transaction: what a request writes, gathered as assertions by cell while it runs, then logged as one
// changeset. DESIGN section 3, "ops".
//
//   - A quad cell: the last assertion counts, also where it changed nothing here.
//   - A value cell: what the request inserts replaces the values that were there, and nothing that the request itself
//     inserted; what it saw and what it left is logged, unless that is the same.
//   - A record cell: the same, each of its properties by itself; a property may be given several values.
// A local transaction has seen everything, so what it leaves is the state of its cells: no policy decides. One that
// checks local changes may refuse the request, or complete what it leaves.
//
// New quads are gathered and written many at a time, sorted, before the next look at the store: a load of a million
// quads would else jump about in four orders for each of them.
#pragma once

#include <map>
#include <optional>
#include <unordered_set>
#include <vector>

#include "engine/model/bulk_target.h"
#include "log/changeset_codec.h"
#include "reconcile/mixed_cells.h"
#include "reconcile/staged_load.h"
#include "reconcile/window.h"
#include "reconcile/writing.h"

namespace quadrille::reconcile {

// What a request writes to. Refused writes change nothing, and are told by commit().
class LocalTransaction final : public model::BulkTarget {
 public:
  explicit LocalTransaction(Writing& writing) : writing_(writing), quads_(writing.quads) {}

  std::unique_ptr<model::QuadScan> scan(model::QuadOrder order, std::span<const model::TermId> prefix,
                                        model::ColumnSet wanted) const override {
    write_gathered();
    return quads_.scan(order, prefix, wanted);
  }
  uint64_t estimate_count(model::QuadOrder order, std::span<const model::TermId> prefix) const override {
    write_gathered();
    return quads_.estimate_count(order, prefix);
  }
  bool contains(const model::Quad& quad) const override { return gathered_.contains(quad) || quads_.contains(quad); }
  std::optional<model::TermId> find_term(const model::Term& term) const override { return quads_.find_term(term); }
  model::Term get_term(model::TermId id) const override { return quads_.get_term(id); }
  model::TermId intern(const model::Term& term) override { return quads_.intern(term); }
  std::vector<model::TermId> intern_all(std::span<const model::Term> terms) override {
    return quads_.intern_all(terms);
  }
  bool insert(const model::Quad& quad) override;
  bool erase(const model::Quad& quad) override;

  // Whether the single-valued cell of the quad would be refused as it is now, for several values.
  bool has_too_many_values(const model::Quad& quad);
  // Why it will be refused, whatever is still written.
  const std::optional<base::Error>& refused() const noexcept { return refused_; }

  // Writes log and window. Refused: writes to a local graph; two values left in a single-valued cell; what a policy
  // refuses.
  base::Result<CommitReceipt> commit() { return commit_with(nullptr); }
  // What the changeset says beside.
  void announce(log::Announcement announcement) { announcements_.push_back(std::move(announcement)); }
  // The same, with what a load has built aside.
  base::Result<CommitReceipt> commit(LmdbStagedLoad& staged, load::PreparedLoad& load) {
    const StagedPart part{staged, load};
    return commit_with(&part);
  }

 private:
  struct Assertion {
    model::Quad quad;
    bool existed = false;  // before this assertion
    bool exists = false;   // after it
  };
  struct StagedPart {
    LmdbStagedLoad& staged;
    load::PreparedLoad& load;
  };
  struct CellState {
    log::CellContent saw;
    std::vector<log::Statement> inserted;  // by this request, and still there
  };
  // After refusing: false.
  bool may_write(const model::Quad& quad);
  CellState& cell_state(const log::Cell& cell);
  bool assert_quad(const model::Quad& quad, bool exists);
  bool insert_quad(const model::Quad& quad);
  bool erase_quad(const model::Quad& quad);
  void write_gathered() const;
  bool insert_value(const log::Cell& cell, const model::Quad& quad);
  bool erase_value(const log::Cell& cell, const model::Quad& quad);

  std::vector<Assertion> final_assertions();
  base::Result<std::vector<log::CellOperation>> final_cells();
  base::Result<CommitReceipt> commit_with(const StagedPart* part);
  bool has_too_many_values(const log::Cell& cell, const CellState& state);
  static void count(const std::vector<Assertion>& assertions, const std::vector<log::CellOperation>& cells,
                    CommitReceipt& receipt);
  uint64_t bulk_for(const log::Operations& operations, const StagedPart* part);
  log::ChangesetHeader write_log(const log::Operations& operations, uint64_t operation_count, uint64_t bulk,
                                 const StagedPart* part);
  void write_chunks(const log::Operations& operations, log::ChangesetKey changeset, uint64_t bulk,
                    log::ChangesetHeader& header, log::ChangesetHasher& hasher);
  // `in_range`: they may stand in the changeset's range, if it has one. `mixed` gets those of cells in transition.
  void write_quads(const std::vector<Assertion>& assertions, Window& window, bool in_range, MixedVersions& mixed);
  void write_cells(const std::vector<log::CellOperation>& cells, Window& window, MixedVersions& mixed);
  void write_mixed(const MixedVersions& mixed, Window& window);
  // What the cell is left with: `left`, or what its policy completes it to, which is then written.
  base::Result<log::CellContent> checked(const log::Cell& cell, const log::CellContent& saw, log::CellContent left);
  base::Result<void> check_quads(std::vector<Assertion>& assertions);

  Writing& writing_;
  store::Transaction& quads_;
  mutable std::unordered_set<model::Quad> gathered_;  // of quad cells, new, and not written yet
  std::vector<Assertion> assertions_;                 // in the order in which they were made
  std::map<log::Cell, CellState> cells_;
  std::vector<log::Announcement> announcements_;
  std::optional<base::Error> refused_;
};

}  // namespace quadrille::reconcile
