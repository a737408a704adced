// The state of a cell from its history: resolve(... resolve(resolve(base, C1), C2) ..., Cn). DESIGN section 4.
//
// A component of one version is what that version left; a policy is called only for components of two and more, and
// only then are ids turned into terms. A policy that throws, or answers statements that are not the cell's, is
// replaced by the fallback (add-wins for quads, last-writer-wins else), and the conflict record says so.
#pragma once

#include <optional>
#include <vector>

#include "engine/model/quad_source.h"
#include "log/change_log.h"
#include "log/history_window.h"
#include "reconcile/assignment.h"
#include "reconcile/changeset_facts.h"
#include "reconcile/components.h"
#include "reconcile/conflict_record.h"

namespace quadrille::reconcile {

// A cell's history, sorted into components. Refers to the history and to the facts.
struct CellView {
  const log::Cell& cell;
  const log::CellHistory& history;
  std::vector<VersionPlace> places;  // of history.versions
  std::vector<Component> components;
};

struct ResolvedComponent {
  log::CellContent content;              // sorted
  std::optional<ConflictRecord> record;  // if maximal versions left different things; provisional
};

class CellEvaluator {
 public:
  // `terms` must take new terms: a policy may answer what nobody wrote.
  CellEvaluator(model::QuadTarget& terms, const log::ChangeLog& log, const log::LogState& state,
                ChangesetFactsCache& facts)
      : terms_(terms), log_(log), state_(state), facts_(facts) {}

  CellView view(const log::Cell& cell, const log::CellHistory& history);
  ResolvedComponent resolve(const CellView& view, const Policy& policy, const log::CellContent& base,
                            const Component& component);

 private:
  Conflict make_conflict(const CellView& view, const log::CellContent& base, const Component& component);
  Content to_text(const log::CellContent& content);
  log::CellContent to_ids(const Content& content);

  model::QuadTarget& terms_;
  const log::ChangeLog& log_;
  const log::LogState& state_;
  ChangesetFactsCache& facts_;
};

}  // namespace quadrille::reconcile
