#include "reconcile/replay.h"

#include <algorithm>
#include <tuple>

#include "log/bulk_table.h"
#include "reconcile/outcome.h"
#include "reconcile/replayed_versions.h"

namespace quadrille::reconcile {
namespace {

// About as much work as one operation.
constexpr uint64_t looked_at_per_operation = 16;
constexpr uint64_t pairs_of_versions_per_operation = 1024;

uint64_t work_of_conflict(uint64_t versions) { return versions * versions / pairs_of_versions_per_operation; }

}  // namespace

bool Replay::run(log::Stamp settled, uint64_t& room) {
  while (const auto changeset = next(settled)) {
    if (room == 0) return false;
    replay(*changeset, room);
  }
  return true;
}

bool Replay::has_more() const {
  return std::any_of(writing_.state.origins.begin(), writing_.state.origins.end(),
                     [](const log::OriginState& origin) { return origin.seen_by_replay() < origin.seq; });
}

std::optional<log::ChangesetKey> Replay::next(log::Stamp settled) {
  std::optional<log::ChangesetKey> first;
  log::Stamp stamp;
  for (log::OriginNumber origin = 0; origin < writing_.state.origins.size(); ++origin) {
    const log::OriginState& state = writing_.state.origins[origin];
    const log::ChangesetKey key{origin, state.seen_by_replay() + 1};
    if (key.seq > state.seq) continue;
    const log::Stamp its =
        writing_.memory.facts.get(key, writing_.log(), writing_.state, writing_.memory.assignments).stamp;
    if (its > settled) continue;
    if (first && std::tie(stamp, writing_.state.origins[first->origin].site) < std::tie(its, state.site)) continue;
    first = key;
    stamp = its;
  }
  return first;
}

void Replay::replay(log::ChangesetKey changeset, uint64_t& room) {
  writing_.memory.facts.make_room();
  cells_.clear();
  mixed_.clear();
  gather_cells(changeset, room);
  std::vector<uint64_t> seqs = writing_.state.replayed_seqs();
  const log::SeenVector before(seqs);
  seqs[changeset.origin] = changeset.seq;
  const log::SeenVector replayed(std::move(seqs));
  // All is decided before any of it is written: the context is what was before the changeset.
  std::vector<CellOutcomes> outcomes;
  std::vector<log::Cell> decided;
  for (const log::Cell& cell : cells_) {
    auto made = decide(changeset, cell, replayed);
    if (!made) continue;
    outcomes.push_back(std::move(*made));
    decided.push_back(cell);
    count_down(work_of_conflict(versions_looked_at_), room);
  }
  for (const SubjectInGraph& subject : mixed_) {
    for (CellOutcomes& made :
         MixedCells(writing_, conflicts_, evaluator_).replay(changeset, subject, before, replayed, settled_)) {
      outcomes.push_back(std::move(made));
    }
  }
  count_down(settled_.take_looked_at() / looked_at_per_operation, room);
  for (const CellOutcomes& one : outcomes) {
    put_outcomes(writing_.quads.tables(), writing_.tables.context, one.key, one.outcomes);
  }
  writing_.state.origins[changeset.origin].replayed_seq = changeset.seq;
  for (const log::Cell& cell : decided) show(cell);
  for (const SubjectInGraph& subject : mixed_) MixedCells(writing_, conflicts_, evaluator_).show(subject);
}

void Replay::count_down(uint64_t work, uint64_t& room) { room -= std::min(room, work); }

void Replay::gather_cells(log::ChangesetKey changeset, uint64_t& room) {
  uint64_t looked_at = 1;
  if (const log::BulkState* bulk = writing_.state.find_bulk_of(changeset.origin, changeset.seq)) {
    // Of those without a row the versions follow one upon the other: nothing is to be decided.
    const log::BulkTable bulks(writing_.quads.tables(), writing_.tables.log.bulk);
    for (const std::string& key : bulks.first_cells(bulk->number, std::numeric_limits<size_t>::max())) {
      gather_cell(log::cell_of_key(key));
      ++looked_at;
    }
  } else {
    const log::ChangeLogWriter log = writing_.log();
    for (uint32_t chunk = 0; const auto operations = log.find_operations(changeset, chunk); ++chunk) {
      for (const log::QuadOperation& one : operations->quads) gather_cell(log::quad_cell(one.quad));
      for (const log::CellOperation& one : operations->cells) gather_cell(one.cell);
      looked_at += operations->size();
    }
  }
  count_down(looked_at, room);
}

void Replay::gather_cell(const log::Cell& cell) {
  AssignmentHistory& assignments = writing_.memory.assignments;
  if (assignments.is_in_transition(cell, writing_.quads)) {
    mixed_.insert({cell.graph, cell.subject});
  } else if (assignments.may_read_context(cell, writing_.quads)) {
    cells_.push_back(cell);
  }
}

std::optional<CellOutcomes> Replay::decide(log::ChangesetKey changeset, const log::Cell& cell,
                                           const log::SeenVector& replayed) {
  const std::string key = log::cell_key(cell);
  const auto row = writing_.quads.tables().get(writing_.tables.log.window, key);
  if (!row) return std::nullopt;  // what a range says of it, which is one after the other
  const log::CellHistory history = log::decode_history(cell, *row);
  const auto components = replayed_components(evaluator_, history, replayed).value_or(history.components);
  // Its stamp is the highest by now.
  if (components.empty() || !components.back().has(changeset.origin, changeset.seq)) return std::nullopt;
  if (components.back().versions.size() == 1) return std::nullopt;
  // Another policy may have taken over: what was decided of a part of the component is of no more use.
  const bool is_to_decide = evaluator_.reads_context(cell, components.back());
  if (!is_to_decide && writing_.outcomes().of(key).empty()) return std::nullopt;
  versions_looked_at_ = components.back().versions.size();
  CellOutcomes outcomes{key, {}};
  log::CellContent base = history.base;
  for (size_t i = 0; i + 1 < components.size(); ++i) {
    base = evaluator_.resolve(cell, base, components[i]).content;
    if (components[i].versions.size() == 1) continue;
    auto known = writing_.outcomes().find(key, evaluator_.maximal_versions(components[i]));
    if (known) outcomes.outcomes.push_back(std::move(*known));
  }
  if (is_to_decide) outcomes.outcomes.push_back(evaluator_.resolve_in(settled_, cell, base, components.back()));
  return outcomes;
}

void Replay::show(const log::Cell& cell) {
  const std::string key = log::cell_key(cell);
  const auto row = writing_.quads.tables().get(writing_.tables.log.window, key);
  QUADRILLE_CHECK(row, "what was decided has no row in the window");
  show_outcome(writing_, conflicts_, evaluator_, cell, key, log::decode_history(cell, *row));
}

}  // namespace quadrille::reconcile
