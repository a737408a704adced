// The settled state: what the site's quads would be if just those changesets had come in that have been replayed
// (replay.h). The same at every site that has replayed as far. DESIGN section 4, "Policies that read related quads".
//
// It is the visible state but for the cells that some other changeset wrote: what those held is evaluated from the
// versions that count. Where graph and subject are named that is a look at one subject. Else all that the changesets
// wrote that are not replayed yet is gathered first: as much work as there is such history.
#pragma once

#include <optional>
#include <set>
#include <utility>

#include "reconcile/cell_evaluator.h"
#include "reconcile/conflict_table.h"
#include "reconcile/mixed_cells.h"
#include "reconcile/policy.h"
#include "reconcile/writing.h"

namespace quadrille::reconcile {

// For one step of the writer. All must outlive it.
class SettledState final : public Context {
 public:
  SettledState(Writing& writing, ConflictTableWriter& conflicts, CellEvaluator& evaluator)
      : writing_(writing), conflicts_(conflicts), evaluator_(evaluator) {}

  // As of what the log's state says at the moment of the call. Without local graphs.
  std::vector<model::TermQuad> match(const QuadPattern& pattern) const override;
  // Subjects and quads since the last call: what policies ask for takes its time, and a step of the writer has an end.
  uint64_t take_looked_at() { return std::exchange(looked_at_, 0); }

 private:
  using Statements = std::set<log::Statement>;
  struct Ids;  // of a pattern
  std::optional<Ids> ids_of(const QuadPattern& pattern) const;
  std::vector<model::Quad> match_ids(const Ids& pattern) const;
  std::vector<model::Quad> scan(const Ids& pattern) const;

  Statements statements(const SubjectInGraph& subject) const;
  void put_back_rows(const SubjectInGraph& subject, const log::SeenVector& replayed, Statements& statements) const;
  void put_back_ranges(const SubjectInGraph& subject, const log::SeenVector& replayed, Statements& statements) const;
  void put_back(const log::Cell& cell, const log::CellHistory& history, const log::SeenVector& replayed,
                Statements& statements) const;

  // The subjects of which changesets that are not replayed wrote something; maybe of some that are.
  const std::set<SubjectInGraph>& touched() const;
  void touch(log::ChangesetKey changeset) const;
  void touch_range(const log::BulkState& bulk) const;

  Writing& writing_;
  ConflictTableWriter& conflicts_;
  CellEvaluator& evaluator_;
  mutable std::optional<std::set<SubjectInGraph>> touched_;
  mutable uint64_t looked_at_ = 0;
};

}  // namespace quadrille::reconcile
