#include "reconcile/folding.h"

#include <algorithm>

#include "log/stored_operations.h"
#include "reconcile/assignments_in.h"
#include "reconcile/outcome.h"
#include "reconcile/replay.h"

namespace quadrille::reconcile {
namespace {

// What was walked before was stable then, and stays so, even where a site that was started again does not know it yet.
log::VersionVector with_walked(log::VersionVector stable, const log::LogState& state) {
  stable.merge(state.walked_vector());
  return stable;
}

// Both are causally closed, so what both cover is.
log::VersionVector within_replayed(const log::VersionVector& vector, const log::LogState& state) {
  log::VersionVector within;
  for (const log::OriginState& origin : state.origins) {
    const uint64_t seq = std::min(vector.at(origin.site), origin.seen_by_replay());
    if (seq > 0) within.raise(origin.site, seq);
  }
  return within;
}

}  // namespace

Folding::Folding(Writing& writing, const Frontier& frontier)
    : writing_(writing),
      frontier_(frontier),
      log_(writing.log()),
      bulks_(writing.quads.tables(), writing.tables.log.bulk),
      conflicts_(writing.quads.tables(), writing.tables.conflicts),
      evaluator_(writing.quads, log_, writing.state, writing.memory.facts, writing.memory.assignments,
                 writing.outcomes()) {}

FoldReport Folding::fold(uint64_t cell_limit) {
  room_ = cell_limit;
  report_.folded = with_walked(frontier_.stable, writing_.state);
  if (writing_.memory.assignments.reads_context()) replay();
  if (writing_.memory.is_folding_held()) {
    report_.folded = writing_.state.walked_vector();
    report_.is_held = true;
    return report_;
  }
  stable_ = log::SeenVector(report_.folded, writing_.state);
  settle_ranges();
  for (log::OriginNumber origin = 0; origin < writing_.state.origins.size(); ++origin) {
    report_.is_done = walk_origin(origin) && report_.is_done;
    if (!writing_.memory.is_log_kept()) log_.trim(origin, writing_.state);
  }
  conflicts_.drop_oldest(writing_.memory.conflict_bounds, writing_.memory.wall_clock.now_ms());
  if (report_.is_done) forget_old_assignments(writing_);
  return report_;
}

void Folding::replay() {
  Replay replay(writing_, conflicts_, evaluator_);
  report_.is_done = replay.run(frontier_.settled, room_);
  report_.waits_for_stamp = replay.has_more();
  report_.folded = within_replayed(report_.folded, writing_.state);
}

void Folding::settle_ranges() {
  for (log::BulkState& bulk : writing_.state.bulks) {
    if (bulk.stage != log::BulkStage::Open || !stable_.covers(bulk.origin, bulk.seq)) continue;
    bulk.stage = log::BulkStage::Settled;
    report_.cells_folded += bulk.range_rows() - bulk.rows_taken;
  }
}

bool Folding::walk_origin(log::OriginNumber origin) {
  log::OriginState& state = writing_.state.origins[origin];
  const uint64_t end = std::min(stable_.at(origin), state.seq);
  while (state.walked_seq < end) {
    if (!walk_changeset({origin, state.walked_seq + 1})) return false;
    ++state.walked_seq;
    state.walked_chunks = 0;
    state.walked_operations = 0;
  }
  return true;
}

bool Folding::walk_changeset(log::ChangesetKey changeset) {
  if (const log::BulkState* bulk = writing_.state.find_bulk_of(changeset.origin, changeset.seq)) {
    return walk_bulk(changeset, *bulk);
  }
  log::OriginState& state = writing_.state.origins[changeset.origin];
  while (const auto operations = log_.find_operations(changeset, state.walked_chunks)) {
    const size_t from = state.walked_operations;
    const size_t to = std::min<uint64_t>(operations->size(), from + room_);
    walk_operations(changeset, *operations, from, to);
    room_ -= to - from;
    state.walked_operations = static_cast<uint32_t>(to);
    if (to < operations->size()) return false;
    ++state.walked_chunks;
    state.walked_operations = 0;
  }
  return true;
}

bool Folding::walk_bulk(log::ChangesetKey changeset, const log::BulkState& bulk) {
  for (const std::string& key : bulks_.first_cells(bulk.number, room_)) {
    fold_cell(changeset, log::cell_of_key(key), key);
    bulks_.erase_cell(bulk.number, key);
    --room_;
  }
  fold_mixed(changeset);
  return bulks_.first_cells(bulk.number, 1).empty();
}

void Folding::walk_operations(log::ChangesetKey changeset, const log::Operations& operations, size_t from, size_t to) {
  std::vector<std::pair<std::string, log::Cell>> cells;  // in the order of the window's table
  cells.reserve(to - from);
  for (size_t i = from; i < to; ++i) {
    log::Cell cell;
    if (i < operations.quads.size()) {
      cell = log::quad_cell(operations.quads[i].quad);
    } else if (i >= operations.quads.size() + operations.cells.size()) {
      break;  // what is announced has no cell
    } else {
      cell = operations.cells[i - operations.quads.size()].cell;
    }
    cells.emplace_back(log::cell_key(cell), cell);
  }
  std::sort(cells.begin(), cells.end());
  for (const auto& [key, cell] : cells) fold_cell(changeset, cell, key);
  fold_mixed(changeset);
}

void Folding::fold_mixed(log::ChangesetKey changeset) {
  for (const auto& [subject, cells] : mixed_) {
    MixedCells(writing_, conflicts_, evaluator_).fold(changeset, cells, stable_);
  }
  mixed_.clear();
}

void Folding::fold_cell(log::ChangesetKey changeset, const log::Cell& cell, std::string_view key) {
  if (writing_.memory.assignments.is_in_transition(cell, writing_.quads)) {
    mixed_[{cell.graph, cell.subject}].insert(cell);
    ++report_.cells_folded;
    return;
  }
  store::WriteTransaction& tables = writing_.quads.tables();
  const auto row = tables.get(writing_.tables.log.window, key);
  if (!row) return;  // folded with a version of another changeset
  ++report_.cells_folded;
  if (log::is_only_version(cell.kind, *row, changeset.origin, changeset.seq)) {
    tables.erase(writing_.tables.log.window, key);
  } else {
    fold_history(changeset, cell, key, log::decode_history(cell, *row));
  }
}

void Folding::fold_history(log::ChangesetKey changeset, const log::Cell& cell, std::string_view key,
                           log::CellHistory history) {
  std::vector<log::HistoryComponent>& components = history.components;
  auto component = components.begin();
  for (; component != components.end() && component->is_seen_by(stable_); ++component) {
    ResolvedComponent resolved = finally_resolved(writing_, evaluator_, cell, key, history.base, *component);
    history.base = std::move(resolved.content);
    if (resolved.record) conflicts_.finish(key, std::move(*resolved.record));
    for (const log::WindowVersion& version : component->versions) {
      log_.end_waiting({version.origin, version.seq}, key, writing_.state);
    }
  }
  bool has_changed = component != components.begin();
  components.erase(components.begin(), component);
  if (!components.empty()) {
    // Of a component that stays open for long, what no answer depends on any more leaves.
    for (const log::ChangesetKey left :
         evaluator_.drop_what_may_leave(cell, history.base, components.front(), stable_)) {
      log_.end_waiting(left, key, writing_.state);
      has_changed = true;
    }
  }
  for (const log::HistoryComponent& rest : components) {
    for (const log::WindowVersion& version : rest.versions) {
      const log::ChangesetKey its{version.origin, version.seq};
      if (its == changeset) log_.add_waiting(its, key);
    }
  }
  store::WriteTransaction& tables = writing_.quads.tables();
  if (components.empty()) {
    tables.erase(writing_.tables.log.window, key);
  } else if (has_changed) {
    tables.put(writing_.tables.log.window, key, log::encode_history(cell, history));
  }
}

}  // namespace quadrille::reconcile
