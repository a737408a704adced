// What a concurrency component leaves in its cell. DESIGN section 4, "The state of a cell":
//   State = resolve(... resolve(resolve(base, C1), C2) ..., Cn).
//
//   1. A component of one version is what that version left.
//   2. Of any other the policy decides that the newest of the versions' assignments names. One that only chooses by
//      the outline is given no text.
//   3. It is shown the maximal versions, and of the others those that were made under the same policy. (What was made
//      under another may have left the window where that policy allowed it.)
//   4. A policy that throws, or answers statements that are not the cell's, is replaced by the fallback (add-wins for
//      quads, last-writer-wins else), and the conflict record says so.
//   5. One that reads other cells decides when the component's newest version is replayed (replay.h), and that outcome
//      counts until the component grows. Where there is none yet, the context-free policy that it names decides.
#pragma once

#include <optional>
#include <vector>

#include "engine/model/quad_source.h"
#include "log/change_log.h"
#include "log/history_window.h"
#include "reconcile/changeset_facts.h"
#include "reconcile/components.h"
#include "reconcile/context_outcomes.h"
#include "reconcile/stored_conflict.h"

namespace quadrille::reconcile {

struct ResolvedComponent {
  log::CellContent content;              // sorted
  std::optional<StoredConflict> record;  // if maximal versions left different things; provisional
  bool awaits_context = false;           // only a fallback has decided so far
};

class CellEvaluator {
 public:
  // `terms` must take new terms: a policy may answer what nobody wrote.
  CellEvaluator(model::QuadTarget& terms, const log::ChangeLog& log, const log::LogState& state,
                ChangesetFactsCache& facts, AssignmentHistory& assignments, const ContextOutcomes& outcomes)
      : terms_(terms), log_(log), state_(state), facts_(facts), assignments_(assignments), outcomes_(outcomes) {}

  // By stamp and origin, as every component's versions stand.
  void sort(log::HistoryComponent& component);
  // `component` has its versions sorted.
  ResolvedComponent resolve(const log::Cell& cell, const log::CellContent& base,
                            const log::HistoryComponent& component);

  // Those that no other of the component has seen; ascending.
  std::vector<log::ChangesetKey> maximal_versions(const log::HistoryComponent& component);
  // Whether a policy decides the component that reads other cells. Not where there is nothing to decide.
  bool reads_context(const log::Cell& cell, const log::HistoryComponent& component);
  // What that one decides, in this context.
  ContextOutcome resolve_in(const Context& context, const log::Cell& cell, const log::CellContent& base,
                            const log::HistoryComponent& component);

  // Lets versions leave, and names them: those that a stable one has seen, where the policy looks at maximal ones only;
  // and those that are stable and of which the policy says so. None where versions are of several assignments, and
  // another might still come between. What stays is one component still.
  std::vector<log::ChangesetKey> drop_what_may_leave(const log::Cell& cell, const log::CellContent& base,
                                                     log::HistoryComponent& component, const log::SeenVector& stable);

  // What is known of the versions' changesets.
  std::vector<VersionPlace> places_of(const std::vector<log::WindowVersion>& versions);
  // The assignment that a changeset was made under.
  NumberedRules& rules_of(log::ChangesetKey changeset) {
    return *facts_.get(changeset, log_, state_, assignments_).rules;
  }

 private:
  struct Placed {
    const log::WindowVersion* version = nullptr;
    VersionPlace place;
    NumberedRules* rules = nullptr;
    bool is_maximal = false;
  };
  std::vector<Placed> place(const log::HistoryComponent& component);
  const CellRule& rule_of(const log::Cell& cell, NumberedRules& rules);
  const NamedPolicy& policy_of(const log::Cell& cell, NumberedRules& rules) { return rule_of(cell, rules).decided_by; }
  const NamedPolicy* find_retaining_policy(const log::Cell& cell, const std::vector<Placed>& versions);
  static NumberedRules& deciding_rules(const std::vector<Placed>& versions);
  std::vector<Placed> shown(const log::Cell& cell, const NamedPolicy& deciding, std::vector<Placed> versions);
  Conflict make_conflict(const log::Cell& cell, const log::CellContent& base, const NamedPolicy& deciding,
                         const std::vector<Placed>& versions);
  // Who decides, and what it may look at.
  struct Judge {
    const NamedPolicy& policy;
    NumberedRules& rules;
    const Context* context = nullptr;
  };
  log::CellContent decide(const log::Cell& cell, const log::CellContent& base, const Judge& judge,
                          const std::vector<Placed>& versions, std::string& failure);
  std::optional<Content> ask(const log::Cell& cell, const Judge& judge, const Conflict& conflict, std::string& failure);
  std::vector<bool> superseded(const std::vector<Placed>& versions, const log::SeenVector& stable) const;
  std::vector<bool> may_leave(const log::Cell& cell, const log::CellContent& base, const NamedPolicy& policy,
                              const std::vector<Placed>& versions, const log::SeenVector& stable);
  bool is_of(const log::Cell& cell, const CellName& name, const CellStatement& statement, NumberedRules& rules);

  model::QuadTarget& terms_;
  const log::ChangeLog& log_;
  const log::LogState& state_;
  ChangesetFactsCache& facts_;
  AssignmentHistory& assignments_;
  ContextOutcomes outcomes_;
};

}  // namespace quadrille::reconcile
