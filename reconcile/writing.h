// What the steps of one group of writes share: the transaction, the log's state as it has become so far, and what the
// writer remembers between groups.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/store/store.h"
#include "log/change_log.h"
#include "log/log_state.h"
#include "log/stamp.h"
#include "reconcile/assignment_history.h"
#include "reconcile/changeset_facts.h"
#include "reconcile/conflict_table.h"
#include "reconcile/context_outcomes.h"
#include "reconcile/membership_table.h"
#include "reconcile/site_store.h"
#include "reconcile/touched_cells.h"

namespace quadrille::reconcile {

struct SiteTables {
  log::LogTables log;
  ConflictTables conflicts;
  ContextTables context;
  store::Table assignments;
  store::Table members;
};

// Lives as long as the site's store; used by one group of writes at a time.
struct WriterMemory {
  const SiteIdentity& identity;
  const PolicyRegistry& policies;
  const base::WallClock& wall_clock;
  log::HybridClock clock;
  AssignmentHistory assignments;
  bool has_new_assignment = false;  // in the group of writes that is under way
  Membership membership;
  bool has_new_members = false;                  // in the group of writes that is under way
  int64_t keep_log_until_ms = 0;                 // WriteGroup::keep_log_until
  std::map<uint64_t, int64_t> holds_of_folding;  // WriteGroup::hold_folding: until when, by holder
  bool is_alone_in_group = false;
  bool is_told_evicted = false;  // WriteGroup::note_told_evicted
  std::string clock_refusal;     // WriteGroup::note_clock
  ChangesetFactsCache facts;
  model::TermId conflicts_graph;
  uint64_t large_changeset_min;
  ConflictBounds conflict_bounds;
  std::vector<std::weak_ptr<TouchedCells>> watches;  // of what is being built aside; ask live_watches()

  std::vector<std::shared_ptr<TouchedCells>> live_watches();
  // The bulks that are being built aside, and those that they will look at again.
  std::vector<uint64_t> bulks_in_use(const log::LogState& state);
  // No other site has, or will have, what this group of writes writes: then neither log nor window is needed.
  bool is_alone() const { return is_alone_in_group; }
  void note_whether_alone(const log::LogState& state);
  bool is_member() const {
    return membership.is_member(identity.site) && (!identity.is_copy || membership.joined_by(identity.site));
  }
  bool is_folding_held() const {
    const auto holds = [now = wall_clock.now_ms()](const auto& hold) { return now < hold.second; };
    return std::any_of(holds_of_folding.begin(), holds_of_folding.end(), holds);
  }
  bool is_log_kept() const { return wall_clock.now_ms() < keep_log_until_ms; }
  CellRules& rules() { return assignments.in_force().rules; }
};

// One step: a local update, a call of apply, a call of fold. `state` is the group's; who drops the transaction puts the
// state back to what it was.
struct Writing {
  store::Transaction& quads;
  const SiteTables& tables;
  WriterMemory& memory;
  log::LogState& state;

  ContextOutcomes outcomes() const { return {quads.tables(), tables.context}; }
  log::ChangeLogWriter log() { return {quads.tables(), tables.log}; }
  bool is_local_graph(model::TermId graph) const { return graph == memory.conflicts_graph; }
};

// What a subject has in a graph, of one property or of all. Sorted.
log::CellContent statements_of(const model::QuadSource& quads, model::TermId graph, model::TermId subject,
                               std::optional<model::TermId> property = std::nullopt);

// What a cell holds now. Sorted.
log::CellContent visible_content(const model::QuadSource& quads, const log::Cell& cell, CellRules& rules);

// Makes the quads of a cell what `content` (sorted) says.
struct ContentChange {
  uint64_t inserted = 0;
  uint64_t erased = 0;
};
ContentChange set_content(model::QuadTarget& quads, const log::Cell& cell, const log::CellContent& before,
                          const log::CellContent& content);

}  // namespace quadrille::reconcile
