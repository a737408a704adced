#include "reconcile/folding.h"

#include <algorithm>

#include "log/stored_operations.h"

namespace quadrille::reconcile {
namespace {

// What was walked before was stable then, and stays so, even where a site that was started again does not know it yet.
log::VersionVector with_walked(log::VersionVector stable, const log::LogState& state) {
  stable.merge(state.walked_vector());
  return stable;
}

}  // namespace

Folding::Folding(Writing& writing, const log::VersionVector& stable)
    : writing_(writing),
      log_(writing.log()),
      bulks_(writing.quads.tables(), writing.tables.log.bulk),
      stable_(with_walked(stable, writing.state), writing.state),
      conflicts_(writing.quads, writing.tables.conflicts),
      evaluator_(writing.quads, log_, writing.state, writing.memory.facts) {}

FoldReport Folding::fold(uint64_t cell_limit) {
  room_ = cell_limit;
  settle_ranges();
  for (log::OriginNumber origin = 0; origin < writing_.state.origins.size(); ++origin) {
    report_.is_done = walk_origin(origin) && report_.is_done;
    log_.trim(origin, writing_.state);
  }
  conflicts_.flush();
  return report_;
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
  return bulks_.first_cells(bulk.number, 1).empty();
}

void Folding::walk_operations(log::ChangesetKey changeset, const log::Operations& operations, size_t from, size_t to) {
  std::vector<std::pair<std::string, log::Cell>> cells;  // in the order of the window's table
  cells.reserve(to - from);
  for (size_t i = from; i < to; ++i) {
    log::Cell cell;
    if (i < operations.quads.size()) {
      cell = log::quad_cell(operations.quads[i].quad);
    } else {
      cell = operations.cells[i - operations.quads.size()].cell;
    }
    cells.emplace_back(log::cell_key(cell), cell);
  }
  std::sort(cells.begin(), cells.end());
  for (const auto& [key, cell] : cells) fold_cell(changeset, cell, key);
}

void Folding::fold_cell(log::ChangesetKey changeset, const log::Cell& cell, std::string_view key) {
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
                           const log::CellHistory& history) {
  const CellView view = evaluator_.view(cell, history);
  const Policy& policy = *writing_.memory.rules.rule_of(cell, writing_.quads).decided_by.policy;
  log::CellHistory rest{history.base, {}};
  std::vector<bool> is_folded(history.versions.size(), false);
  for (const Component& component : view.components) {
    if (!is_stable(view, component)) break;
    ResolvedComponent resolved = evaluator_.resolve(view, policy, rest.base, component);
    rest.base = std::move(resolved.content);
    if (resolved.record) conflicts_.finish(key, std::move(*resolved.record));
    for (const size_t version : component) is_folded[version] = true;
  }
  for (size_t i = 0; i < history.versions.size(); ++i) {
    const log::WindowVersion& version = history.versions[i];
    const log::ChangesetKey its{version.origin, version.seq};
    if (is_folded[i]) {
      log_.end_waiting(its, key, writing_.state);
    } else {
      if (its == changeset) log_.add_waiting(its, key);
      rest.versions.push_back(version);
    }
  }
  store::WriteTransaction& tables = writing_.quads.tables();
  if (rest.versions.empty()) {
    tables.erase(writing_.tables.log.window, key);
  } else if (rest.versions.size() < history.versions.size()) {
    tables.put(writing_.tables.log.window, key, log::encode_history(cell, rest));
  }
}

bool Folding::is_stable(const CellView& view, const Component& component) const {
  return std::all_of(component.begin(), component.end(), [&](size_t version) {
    return stable_.covers(view.places[version].origin, view.places[version].seq);
  });
}

}  // namespace quadrille::reconcile
