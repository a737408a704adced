#include "reconcile/settled_state.h"

#include <algorithm>
#include <tuple>

#include "engine/store/key.h"
#include "log/bulk_table.h"
#include "log/window_ranges.h"
#include "reconcile/replayed_versions.h"

namespace quadrille::reconcile {
namespace {

constexpr size_t read_at_a_time = 256;

// Calls `take` with the quads of the bulk's range from `first` on, until it says no.
template <class Take>
void read_range(const log::BulkTable& bulks, const log::BulkState& bulk, const store::QuadRow& first, Take take) {
  for (size_t set = 0; set < log::range_sets; ++set) {
    if (bulk.rows[set] == 0) continue;
    store::QuadRow next = first;
    while (true) {
      const auto quads = bulks.read_range(bulk.number, log::RangeSet::of_number(set), next, read_at_a_time);
      const bool is_all_taken = std::all_of(quads.begin(), quads.end(), take);
      if (quads.size() < read_at_a_time || !is_all_taken) break;
      const model::Quad& last = quads.back();
      next = store::to_row(model::QuadOrder::Gspo,
                           {last.subject, last.predicate, model::TermId(last.object.bits() + 1), last.graph});
    }
  }
}

bool is_open(const log::BulkState& bulk, const log::SeenVector& replayed) {
  return bulk.stage == log::BulkStage::Open && !replayed.covers(bulk.origin, bulk.seq);
}

}  // namespace

// Unbound: any.
struct SettledState::Ids {
  std::optional<model::TermId> graph;
  std::optional<model::TermId> subject;
  std::optional<model::TermId> property;
  std::optional<model::TermId> object;

  bool fits(const model::Quad& quad) const {
    const auto is_any_or = [](const std::optional<model::TermId>& wanted, model::TermId id) {
      return !wanted || *wanted == id;
    };
    return is_any_or(graph, quad.graph) && is_any_or(subject, quad.subject) && is_any_or(property, quad.predicate) &&
           is_any_or(object, quad.object);
  }
  bool fits(const SubjectInGraph& place) const {
    return (!graph || *graph == place.graph) && (!subject || *subject == place.subject);
  }
};

std::vector<model::TermQuad> SettledState::match(const QuadPattern& pattern) const {
  const auto ids = ids_of(pattern);
  if (!ids) return {};
  std::vector<model::TermQuad> found;
  for (const model::Quad& quad : match_ids(*ids)) {
    std::optional<model::Term> graph;
    if (quad.graph != model::TermId::default_graph()) graph = writing_.quads.get_term(quad.graph);
    found.push_back({writing_.quads.get_term(quad.subject), writing_.quads.get_term(quad.predicate),
                     writing_.quads.get_term(quad.object), std::move(graph)});
  }
  std::sort(found.begin(), found.end(), [](const model::TermQuad& left, const model::TermQuad& right) {
    return std::tie(left.graph, left.subject, left.predicate, left.object) <
           std::tie(right.graph, right.subject, right.predicate, right.object);
  });
  return found;
}

// Nothing: a term of it is nowhere in the store.
std::optional<SettledState::Ids> SettledState::ids_of(const QuadPattern& pattern) const {
  Ids ids;
  const auto find = [&](const std::optional<model::Term>& term, std::optional<model::TermId>& id) {
    if (!term) return true;
    id = writing_.quads.find_term(*term);
    return id.has_value();
  };
  if (!find(pattern.graph, ids.graph) || !find(pattern.subject, ids.subject) || !find(pattern.property, ids.property) ||
      !find(pattern.object, ids.object)) {
    return std::nullopt;
  }
  if (pattern.default_graph_only) ids.graph = model::TermId::default_graph();
  return ids;
}

std::vector<model::Quad> SettledState::match_ids(const Ids& pattern) const {
  std::vector<model::Quad> found;
  const auto add_settled = [&](const SubjectInGraph& place) {
    for (const log::Statement& statement : statements(place)) {
      const model::Quad quad{place.subject, statement.property, statement.object, place.graph};
      if (pattern.fits(quad)) found.push_back(quad);
    }
  };
  if (pattern.graph && writing_.is_local_graph(*pattern.graph)) return found;
  if (pattern.graph && pattern.subject) {
    ++looked_at_;
    add_settled({*pattern.graph, *pattern.subject});
    return found;
  }
  const std::set<SubjectInGraph>& unsettled = touched();
  looked_at_ += unsettled.size();
  for (const model::Quad& quad : scan(pattern)) {
    if (!unsettled.contains({quad.graph, quad.subject})) found.push_back(quad);
  }
  for (const SubjectInGraph& place : unsettled) {
    if (pattern.fits(place)) add_settled(place);
  }
  return found;
}

// What is visible.
std::vector<model::Quad> SettledState::scan(const Ids& pattern) const {
  model::QuadOrder order = model::QuadOrder::Gspo;
  std::vector<model::TermId> prefix;
  if (pattern.subject) {
    order = model::QuadOrder::Spog;
    prefix = {*pattern.subject};
    if (pattern.property) prefix.push_back(*pattern.property);
  } else if (pattern.property) {
    order = model::QuadOrder::Posg;
    prefix = {*pattern.property};
    if (pattern.object) prefix.push_back(*pattern.object);
  } else if (pattern.object) {
    order = model::QuadOrder::Ospg;
    prefix = {*pattern.object};
  } else if (pattern.graph) {
    prefix = {*pattern.graph};
  }
  const auto rows = writing_.quads.scan(order, prefix, model::ColumnSet::all());
  std::array<std::array<model::TermId, read_at_a_time>, 4> ids;
  model::ScanBatch batch;
  for (size_t column = 0; column < ids.size(); ++column) batch.columns[column] = ids[column].data();
  batch.capacity = read_at_a_time;
  std::vector<model::Quad> found;
  while (const size_t count = rows->next(batch)) {
    looked_at_ += count;
    for (size_t i = 0; i < count; ++i) {
      const model::Quad quad{ids[0][i], ids[1][i], ids[2][i], ids[3][i]};
      if (pattern.fits(quad) && !writing_.is_local_graph(quad.graph)) found.push_back(quad);
    }
  }
  return found;
}

SettledState::Statements SettledState::statements(const SubjectInGraph& subject) const {
  const log::CellContent visible = statements_of(writing_.quads, subject.graph, subject.subject);
  Statements found(visible.begin(), visible.end());
  const log::SeenVector replayed(writing_.state.replayed_seqs());
  put_back_rows(subject, replayed, found);
  put_back_ranges(subject, replayed, found);
  if (writing_.memory.assignments.size() == 1) return found;
  std::erase_if(found, [&](const log::Statement& one) {
    return writing_.memory.assignments.is_in_transition(subject.graph, one.property, writing_.quads);
  });
  found.merge(MixedCells(writing_, conflicts_, evaluator_).as_of(subject, replayed));
  return found;
}

void SettledState::put_back_rows(const SubjectInGraph& subject, const log::SeenVector& replayed,
                                 Statements& statements) const {
  for (const auto kind : {log::CellKind::Quad, log::CellKind::Value, log::CellKind::Record}) {
    const std::string prefix = log::subject_prefix(kind, subject.graph, subject.subject);
    store::Cursor cursor(writing_.quads.tables(), writing_.tables.log.window);
    for (bool has_row = cursor.seek(prefix); has_row && cursor.key().starts_with(prefix); has_row = cursor.next()) {
      const log::Cell cell = log::cell_of_key(cursor.key());
      if (writing_.memory.assignments.is_in_transition(cell, writing_.quads)) continue;
      put_back(cell, log::decode_history(cell, cursor.value()), replayed, statements);
    }
  }
}

void SettledState::put_back_ranges(const SubjectInGraph& subject, const log::SeenVector& replayed,
                                   Statements& statements) const {
  const store::WriteTransaction& tables = writing_.quads.tables();
  const log::BulkTable bulks(tables, writing_.tables.log.bulk);
  std::optional<log::WindowRanges> ranges;
  std::set<model::Quad> seen;
  for (const log::BulkState& bulk : writing_.state.bulks) {
    if (!is_open(bulk, replayed)) continue;
    if (!ranges) ranges.emplace(tables, writing_.tables.log.bulk, writing_.state);
    const auto first = store::to_row(model::QuadOrder::Gspo, {subject.subject, {}, {}, subject.graph});
    read_range(bulks, bulk, first, [&](const model::Quad& quad) {
      if (SubjectInGraph{quad.graph, quad.subject} != subject) return false;
      const log::Cell cell = log::quad_cell(quad);
      const bool is_elsewhere = writing_.memory.assignments.is_in_transition(cell, writing_.quads) ||
                                tables.contains(writing_.tables.log.window, log::cell_key(cell));
      if (is_elsewhere || !seen.insert(quad).second) return true;
      const auto history = ranges->find(quad, writing_.quads.contains(quad));
      if (history) put_back(cell, log::decode_history(cell, history->row), replayed, statements);
      return true;
    });
  }
}

void SettledState::put_back(const log::Cell& cell, const log::CellHistory& history, const log::SeenVector& replayed,
                            Statements& statements) const {
  const auto components = replayed_components(evaluator_, history, replayed);
  if (!components) return;  // it is as it is seen
  log::CellContent content = history.base;
  for (const log::HistoryComponent& component : *components) {
    content = evaluator_.resolve(cell, content, component).content;
  }
  CellRules& rules = writing_.memory.rules();
  std::erase_if(statements, [&](const log::Statement& one) {
    if (cell.kind == log::CellKind::Quad) return one == log::Statement{cell.property, cell.object};
    return rules.is_of(cell, one.property, writing_.quads);
  });
  statements.insert(content.begin(), content.end());
}

const std::set<SubjectInGraph>& SettledState::touched() const {
  if (touched_) return *touched_;
  touched_.emplace();
  for (log::OriginNumber origin = 0; origin < writing_.state.origins.size(); ++origin) {
    const log::OriginState& state = writing_.state.origins[origin];
    for (uint64_t seq = state.seen_by_replay() + 1; seq <= state.seq; ++seq) touch({origin, seq});
  }
  return *touched_;
}

void SettledState::touch(log::ChangesetKey changeset) const {
  if (const log::BulkState* bulk = writing_.state.find_bulk_of(changeset.origin, changeset.seq)) touch_range(*bulk);
  const log::ChangeLogWriter log = writing_.log();
  for (uint32_t chunk = 0; const auto operations = log.find_operations(changeset, chunk); ++chunk) {
    for (const log::QuadOperation& one : operations->quads) touched_->insert({one.quad.graph, one.quad.subject});
    for (const log::CellOperation& one : operations->cells) touched_->insert({one.cell.graph, one.cell.subject});
  }
}

void SettledState::touch_range(const log::BulkState& bulk) const {
  const log::BulkTable bulks(writing_.quads.tables(), writing_.tables.log.bulk);
  read_range(bulks, bulk, store::QuadRow{}, [&](const model::Quad& quad) {
    touched_->insert({quad.graph, quad.subject});
    return true;
  });
}

}  // namespace quadrille::reconcile
