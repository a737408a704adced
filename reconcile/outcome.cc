#include "reconcile/outcome.h"

#include "log/stored_operations.h"

namespace quadrille::reconcile {

void show_outcome(Writing& writing, ConflictTableWriter& conflicts, CellEvaluator& evaluator, const log::Cell& cell,
                  std::string_view key, const log::CellHistory& history) {
  log::CellContent content = history.base;
  std::vector<StoredConflict> records;
  bool is_awaiting = false;
  for (const log::HistoryComponent& component : history.components) {
    ResolvedComponent resolved = evaluator.resolve(cell, content, component);
    content = std::move(resolved.content);
    is_awaiting = is_awaiting || resolved.awaits_context;
    if (resolved.record) records.push_back(std::move(*resolved.record));
  }
  set_content(writing.quads, cell, visible_content(writing.quads, cell, writing.memory.rules()), content);
  conflicts.set_provisional(key, records);
  if (writing.memory.assignments.reads_context()) {
    set_awaiting(writing.quads.tables(), writing.tables.context, key, is_awaiting);
  }
}

ResolvedComponent finally_resolved(Writing& writing, CellEvaluator& evaluator, const log::Cell& cell,
                                   std::string_view key, const log::CellContent& base,
                                   const log::HistoryComponent& component) {
  ResolvedComponent resolved = evaluator.resolve(cell, base, component);
  if (resolved.awaits_context) log::fail_as_corrupt("reconcile.outcomes");  // replay runs before folding
  if (!writing.memory.assignments.reads_context() || !evaluator.reads_context(cell, component)) return resolved;
  std::vector<ContextOutcome> outcomes = writing.outcomes().of(key);
  const auto maximal = evaluator.maximal_versions(component);
  std::erase_if(outcomes, [&](const ContextOutcome& one) { return one.maximal == maximal; });
  put_outcomes(writing.quads.tables(), writing.tables.context, key, outcomes);
  return resolved;
}

}  // namespace quadrille::reconcile
