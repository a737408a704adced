#include "reconcile/mixed_cells.h"

#include <algorithm>
#include <tuple>

#include "engine/store/key.h"

namespace quadrille::reconcile {

void MixedCells::take(const log::Cell& cell, const log::WindowVersion& version, const log::SeenVector& seen,
                      Window& window) {
  load(cell.graph, cell.subject, true);
  const size_t row = row_for(cell, version, nullptr);
  make_groups();
  add_version(row, version, seen);
  write_quads(evaluate());
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (i == row || rows_[i].is_new) write_row(rows_[i], window);
  }
}

void MixedCells::add_local(const log::Cell& cell, const log::WindowVersion& version, const log::CellContent& before,
                           Window& window) {
  load(cell.graph, cell.subject, true);
  const size_t row = row_for(cell, version, &before);
  make_groups();
  add_version(row, version, log::SeenVector(writing_.state.version_vector(), writing_.state));
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (i == row || rows_[i].is_new) write_row(rows_[i], window);
  }
}

void MixedCells::look_again(model::TermId graph, model::TermId subject) {
  load(graph, subject, false);
  make_groups();
  write_quads(evaluate());
  for (size_t row = 0; row < rows_.size(); ++row) {
    gather_components(row);
    writing_.quads.tables().put(writing_.tables.log.window, rows_[row].key,
                                log::encode_history(rows_[row].cell, rows_[row].history));
  }
}

void MixedCells::load(model::TermId graph, model::TermId subject, bool with_ranges) {
  graph_ = graph;
  subject_ = subject;
  rows_.clear();
  groups_.clear();
  for (const auto kind : {log::CellKind::Quad, log::CellKind::Value, log::CellKind::Record}) {
    std::string prefix(1, static_cast<char>(kind));
    for (const model::TermId id : {graph, subject}) store::append_big_endian(prefix, id.bits());
    store::Cursor cursor(writing_.quads.tables(), writing_.tables.log.window);
    for (bool has_row = cursor.seek(prefix); has_row && cursor.key().starts_with(prefix); has_row = cursor.next()) {
      const log::Cell cell = log::cell_of_key(cursor.key());
      if (!writing_.memory.assignments.is_in_transition(cell, writing_.quads)) continue;
      rows_.push_back({cell, std::string(cursor.key()), log::decode_history(cell, cursor.value()), {}, false});
    }
  }
  if (with_ranges) load_ranges();
}

void MixedCells::load_ranges() {
  constexpr size_t at_a_time = 256;
  const store::WriteTransaction& tables = writing_.quads.tables();
  log::WindowRanges ranges(tables, writing_.tables.log.bulk, writing_.state);
  if (ranges.is_empty()) return;
  const log::BulkTable bulks(tables, writing_.tables.log.bulk);
  for (const log::BulkState& bulk : writing_.state.bulks) {
    if (bulk.stage != log::BulkStage::Open) continue;
    for (size_t set = 0; set < log::range_sets; ++set) {
      if (bulk.rows[set] == 0) continue;
      store::QuadRow next = store::to_row(model::QuadOrder::Gspo, {subject_, {}, {}, graph_});
      for (bool is_end = false; !is_end;) {
        const auto quads = bulks.read_range(bulk.number, log::RangeSet::of_number(set), next, at_a_time);
        is_end = quads.size() < at_a_time;
        for (const model::Quad& quad : quads) {
          if (quad.graph != graph_ || quad.subject != subject_) {
            is_end = true;
            break;
          }
          add_range_quad(quad, ranges);
        }
        if (!quads.empty()) next = store::to_row(model::QuadOrder::Gspo, quads.back());
      }
    }
  }
}

void MixedCells::add_range_quad(const model::Quad& quad, log::WindowRanges& ranges) {
  if (!writing_.memory.assignments.is_in_transition(quad.graph, quad.predicate, writing_.quads)) return;
  const log::Cell cell = log::quad_cell(quad);
  const bool has_row = std::any_of(rows_.begin(), rows_.end(), [&](const Row& row) { return row.cell == cell; });
  if (has_row) return;
  auto history = ranges.find(quad, true);
  if (!history) history = ranges.find(quad, false);
  if (!history) return;
  rows_.push_back(
      {cell, log::cell_key(cell), log::decode_history(cell, history->row), std::move(history->bulks), true});
}

NumberedRules& MixedCells::rules_of(const log::WindowVersion& version) {
  return evaluator_.rules_of({version.origin, version.seq});
}

bool MixedCells::is_in(const log::Cell& cell, NumberedRules& rules, const log::Statement& statement) {
  if (cell.kind == log::CellKind::Quad) return statement == log::Statement{cell.property, cell.object};
  return rules.rules.is_of(cell, statement.property, writing_.quads);
}

// A record's versions may be of assignments that give its group other properties.
bool MixedCells::covers(const Row& row, const log::Statement& statement) {
  if (row.cell.kind == log::CellKind::Quad) return statement == log::Statement{row.cell.property, row.cell.object};
  for (const log::HistoryComponent& component : row.history.components) {
    for (const log::WindowVersion& version : component.versions) {
      if (is_in(row.cell, rules_of(version), statement)) return true;
    }
  }
  return false;
}

MixedCells::Statements MixedCells::visible() {
  const std::array<model::TermId, 2> prefix = {graph_, subject_};
  const auto wanted = model::ColumnSet().with(model::Column::Predicate).with(model::Column::Object);
  const auto scan = writing_.quads.scan(model::QuadOrder::Gspo, prefix, wanted);
  std::array<model::TermId, 64> properties;
  std::array<model::TermId, 64> objects;
  model::ScanBatch batch;
  batch.columns[static_cast<size_t>(model::Column::Predicate)] = properties.data();
  batch.columns[static_cast<size_t>(model::Column::Object)] = objects.data();
  batch.capacity = objects.size();
  Statements found;
  while (const size_t count = scan->next(batch)) {
    for (size_t i = 0; i < count; ++i) {
      if (writing_.memory.assignments.is_in_transition(graph_, properties[i], writing_.quads)) {
        found.insert({properties[i], objects[i]});
      }
    }
  }
  return found;
}

MixedCells::Statements MixedCells::base_of_all() {
  Statements base = visible();
  std::erase_if(base, [&](const log::Statement& statement) {
    return std::any_of(rows_.begin(), rows_.end(), [&](const Row& row) { return covers(row, statement); });
  });
  for (const Row& row : rows_) base.insert(row.history.base.begin(), row.history.base.end());
  return base;
}

log::CellContent MixedCells::part_of(const Statements& statements, const log::Cell& cell, NumberedRules& rules) {
  log::CellContent part;
  for (const log::Statement& statement : statements) {
    if (is_in(cell, rules, statement)) part.push_back(statement);
  }
  return part;
}

void MixedCells::replace_part(Statements& statements, const log::Cell& cell, NumberedRules& rules,
                              const log::CellContent& content) {
  std::erase_if(statements, [&](const log::Statement& statement) { return is_in(cell, rules, statement); });
  statements.insert(content.begin(), content.end());
}

size_t MixedCells::row_for(const log::Cell& cell, const log::WindowVersion& version, const log::CellContent* before) {
  Statements base = base_of_all();
  if (before) {
    // What is visible is what the local transaction has made of it.
    const auto is_uncovered = [&](const log::Statement& statement) {
      return std::none_of(rows_.begin(), rows_.end(), [&](const Row& row) { return covers(row, statement); });
    };
    std::erase_if(base, is_uncovered);
    std::copy_if(before->begin(), before->end(), std::inserter(base, base.end()), is_uncovered);
  }
  auto row = std::find_if(rows_.begin(), rows_.end(), [&](const Row& one) { return one.cell == cell; });
  if (row == rows_.end()) row = rows_.insert(row, {cell, log::cell_key(cell), {}, {}, true});
  NumberedRules& rules = rules_of(version);
  row->history.base.clear();
  for (const log::Statement& statement : base) {
    if (covers(*row, statement) || is_in(cell, rules, statement)) row->history.base.push_back(statement);
  }
  return static_cast<size_t>(row - rows_.begin());
}

void MixedCells::make_groups() {
  for (size_t row = 0; row < rows_.size(); ++row) add_groups_of(row);
  std::stable_sort(groups_.begin(), groups_.end(),
                   [](const Group& left, const Group& right) { return left.since < right.since; });
}

void MixedCells::add_groups_of(size_t row) {
  AssignmentHistory& assignments = writing_.memory.assignments;
  const Row& of = rows_[row];
  std::map<log::AssignmentNumber, std::vector<log::WindowVersion>> by_run;
  for (const log::HistoryComponent& component : of.history.components) {
    for (const log::WindowVersion& version : component.versions) {
      by_run[assignments.cells_since(rules_of(version).number, of.cell, writing_.quads)].push_back(version);
    }
  }
  if (by_run.size() == 1) {
    groups_.push_back({by_run.begin()->first, row, of.history.components});
    return;
  }
  for (const auto& [since, versions] : by_run) {
    Group& group = groups_.emplace_back(Group{since, row, {}});
    const std::vector<VersionPlace> places = evaluator_.places_of(versions);
    for (const Component& component : find_components(places)) {
      log::HistoryComponent& made = group.components.emplace_back();
      for (const size_t version : component) made.versions.push_back(versions[version]);
    }
  }
}

void MixedCells::add_version(size_t row, const log::WindowVersion& version, const log::SeenVector& seen) {
  const log::AssignmentNumber since =
      writing_.memory.assignments.cells_since(rules_of(version).number, rows_[row].cell, writing_.quads);
  auto group = std::find_if(groups_.begin(), groups_.end(),
                            [&](const Group& one) { return one.row == row && one.since == since; });
  if (group == groups_.end()) {
    group = std::find_if(groups_.begin(), groups_.end(), [&](const Group& one) { return since < one.since; });
    group = groups_.insert(group, Group{since, row, {}});
  }
  add_to(group->components, version, seen);
  evaluator_.sort(group->components.back());
  gather_components(row);
}

void MixedCells::gather_components(size_t row) {
  std::vector<log::HistoryComponent>& all = rows_[row].history.components;
  all.clear();
  for (const Group& group : groups_) {
    if (group.row == row) all.insert(all.end(), group.components.begin(), group.components.end());
  }
}

MixedCells::Statements MixedCells::evaluate() {
  Statements content = base_of_all();
  std::vector<std::vector<StoredConflict>> records(rows_.size());
  for (const Group& group : groups_) {
    const Row& row = rows_[group.row];
    NumberedRules& rules = rules_of(group.components.front().versions.front());
    log::CellContent part = part_of(content, row.cell, rules);
    for (const log::HistoryComponent& component : group.components) {
      ResolvedComponent resolved = evaluator_.resolve(row.cell, part, component);
      part = std::move(resolved.content);
      if (resolved.record) records[group.row].push_back(std::move(*resolved.record));
    }
    replace_part(content, row.cell, rules, part);
  }
  for (size_t row = 0; row < rows_.size(); ++row) conflicts_.set_provisional(rows_[row].key, records[row]);
  return content;
}

void MixedCells::write_row(const Row& row, Window& window) {
  window.put_row(row.key, log::encode_history(row.cell, row.history), {std::nullopt, row.bulks});
}

void MixedCells::write_quads(const Statements& content) {
  const Statements before = visible();
  for (const log::Statement& statement : before) {
    if (!content.contains(statement)) {
      writing_.quads.erase({subject_, statement.property, statement.object, graph_});
    }
  }
  for (const log::Statement& statement : content) {
    if (!before.contains(statement)) {
      writing_.quads.insert({subject_, statement.property, statement.object, graph_});
    }
  }
}

void MixedCells::fold(log::ChangesetKey changeset, const log::Cell& cell, const log::SeenVector& stable) {
  load(cell.graph, cell.subject, false);
  if (rows_.empty()) return;
  make_groups();
  Statements base = base_of_all();
  std::optional<log::AssignmentNumber> blocked;
  for (Group& group : groups_) {
    if (blocked && *blocked < group.since) break;
    if (!fold_leading(group, stable, base)) blocked = group.since;
  }
  store::WriteTransaction& tables = writing_.quads.tables();
  log::ChangeLogWriter log = writing_.log();
  for (size_t i = 0; i < rows_.size(); ++i) {
    Row& row = rows_[i];
    gather_components(i);
    if (row.history.components.empty()) {
      tables.erase(writing_.tables.log.window, row.key);
      continue;
    }
    row.history.base.clear();
    std::copy_if(base.begin(), base.end(), std::back_inserter(row.history.base),
                 [&](const log::Statement& statement) { return covers(row, statement); });
    tables.put(writing_.tables.log.window, row.key, log::encode_history(row.cell, row.history));
    for (const log::HistoryComponent& component : row.history.components) {
      for (const log::WindowVersion& version : component.versions) {
        const log::ChangesetKey its{version.origin, version.seq};
        if (its == changeset && row.cell == cell) log.add_waiting(its, row.key);
      }
    }
  }
}

// Whether all of it has folded.
bool MixedCells::fold_leading(Group& group, const log::SeenVector& stable, Statements& base) {
  const Row& row = rows_[group.row];
  NumberedRules& rules = rules_of(group.components.front().versions.front());
  log::ChangeLogWriter log = writing_.log();
  log::CellContent part = part_of(base, row.cell, rules);
  auto component = group.components.begin();
  for (; component != group.components.end() && component->is_seen_by(stable); ++component) {
    ResolvedComponent resolved = evaluator_.resolve(row.cell, part, *component);
    part = std::move(resolved.content);
    if (resolved.record) conflicts_.finish(row.key, std::move(*resolved.record));
    for (const log::WindowVersion& version : component->versions) {
      log.end_waiting({version.origin, version.seq}, row.key, writing_.state);
    }
  }
  replace_part(base, row.cell, rules, part);
  group.components.erase(group.components.begin(), component);
  return group.components.empty();
}

}  // namespace quadrille::reconcile
