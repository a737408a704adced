#include "reconcile/mixed_cells.h"

#include <algorithm>
#include <tuple>

#include "reconcile/outcome.h"
#include "reconcile/replayed_versions.h"

namespace quadrille::reconcile {

void MixedCells::take(const MixedVersions& versions, const log::SeenVector& seen, Window& window) {
  for (const auto& [subject, its] : versions.subjects()) {
    load(subject, true);
    const Statements base = base_before(nullptr);
    make_groups();
    add_all(its, seen, base);
    write_outcome(evaluate(base));
    write_changed_rows(window);
  }
}

void MixedCells::add_local(const MixedVersions& versions, Window& window) {
  const log::SeenVector seen(writing_.state.version_vector(), writing_.state);
  for (const auto& [subject, its] : versions.subjects()) {
    load(subject, true);
    const Statements base = base_before(&its);
    make_groups();
    add_all(its, seen, base);
    write_changed_rows(window);
  }
}

void MixedCells::look_again(const SubjectInGraph& subject) {
  load(subject, false);
  const Statements base = base_before(nullptr);
  make_groups();
  write_outcome(evaluate(base));
  gather_components();
  for (const Row& row : rows_) {
    writing_.quads.tables().put(writing_.tables.log.window, row.key, log::encode_history(row.cell, row.history));
  }
}

void MixedCells::load(const SubjectInGraph& subject, bool with_ranges) {
  subject_ = subject;
  rows_.clear();
  groups_.clear();
  only_.reset();
  for (const auto kind : {log::CellKind::Quad, log::CellKind::Value, log::CellKind::Record}) {
    const std::string prefix = log::subject_prefix(kind, subject.graph, subject.subject);
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
      store::QuadRow next = store::to_row(model::QuadOrder::Gspo, {subject_.subject, {}, {}, subject_.graph});
      for (bool is_end = false; !is_end;) {
        const auto quads = bulks.read_range(bulk.number, log::RangeSet::of_number(set), next, at_a_time);
        is_end = quads.size() < at_a_time;
        for (const model::Quad& quad : quads) {
          if (SubjectInGraph{quad.graph, quad.subject} != subject_) {
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

MixedCells::Statements MixedCells::visible() {
  Statements found;
  for (const log::Statement& statement : statements_of(writing_.quads, subject_.graph, subject_.subject)) {
    if (writing_.memory.assignments.is_in_transition(subject_.graph, statement.property, writing_.quads)) {
      found.insert(statement);
    }
  }
  return found;
}

MixedCells::Statements MixedCells::part_of(const Statements& statements, const log::Cell& cell, NumberedRules& rules) {
  Statements part;
  if (cell.kind == log::CellKind::Quad) {
    const log::Statement its{cell.property, cell.object};
    if (statements.contains(its)) part.insert(its);
    return part;
  }
  for (const log::Statement& statement : statements) {
    if (rules.rules.is_of(cell, statement.property, writing_.quads)) part.insert(statement);
  }
  return part;
}

// A record's versions may be of assignments that give its group other properties.
MixedCells::Statements MixedCells::covered_by(const Row& row, const Statements& statements) {
  Statements covered;
  std::set<NumberedRules*> asked;
  for (const log::HistoryComponent& component : row.history.components) {
    for (const log::WindowVersion& version : component.versions) {
      NumberedRules& rules = rules_of(version);
      if (asked.insert(&rules).second) covered.merge(part_of(statements, row.cell, rules));
      if (row.cell.kind != log::CellKind::Record) return covered;
    }
  }
  return covered;
}

MixedCells::Statements MixedCells::covered_by_rows(const Statements& statements) {
  Statements covered;
  for (const Row& row : rows_) covered.merge(covered_by(row, statements));
  return covered;
}

MixedCells::Statements MixedCells::base_before(const std::vector<MixedVersion>* local) {
  Statements uncovered;
  if (local) {
    for (const MixedVersion& one : *local) uncovered.insert(one.before.begin(), one.before.end());
  } else {
    uncovered = visible();
  }
  for (const log::Statement& statement : covered_by_rows(uncovered)) uncovered.erase(statement);
  Statements base = std::move(uncovered);
  for (const Row& row : rows_) base.insert(row.history.base.begin(), row.history.base.end());
  return base;
}

void MixedCells::replace_part(Statements& statements, const log::Cell& cell, NumberedRules& rules,
                              const log::CellContent& content) {
  for (const log::Statement& statement : part_of(statements, cell, rules)) statements.erase(statement);
  statements.insert(content.begin(), content.end());
}

void MixedCells::add_all(const std::vector<MixedVersion>& versions, const log::SeenVector& seen,
                         const Statements& base) {
  for (const MixedVersion& one : versions) add_version(row_for(one, base), one.version, seen);
  gather_components();
}

size_t MixedCells::row_for(const MixedVersion& version, const Statements& base) {
  auto row = std::find_if(rows_.begin(), rows_.end(), [&](const Row& one) { return one.cell == version.cell; });
  if (row == rows_.end()) row = rows_.insert(row, {version.cell, log::cell_key(version.cell), {}, {}, true});
  row->has_changed = true;
  Statements its = covered_by(*row, base);
  its.merge(part_of(base, version.cell, rules_of(version.version)));
  row->history.base.assign(its.begin(), its.end());
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
  if (by_run.size() == 1 && !only_) {
    groups_.push_back({by_run.begin()->first, row, of.history.components});
    return;
  }
  for (const auto& [since, versions] : by_run) {
    groups_.push_back({since, row, components_within(evaluator_, versions, only_ ? *only_ : everything())});
    if (groups_.back().components.empty()) groups_.pop_back();
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
}

// The rows' components are those of their groups, older runs first.
void MixedCells::gather_components() {
  for (Row& row : rows_) row.history.components.clear();
  for (const Group& group : groups_) {
    std::vector<log::HistoryComponent>& components = rows_[group.row].history.components;
    components.insert(components.end(), group.components.begin(), group.components.end());
  }
}

MixedCells::Evaluated MixedCells::evaluate(Statements base, const Resolve& resolve) {
  Evaluated evaluated{std::move(base), std::vector<std::vector<StoredConflict>>(rows_.size()),
                      std::vector<bool>(rows_.size(), false)};
  for (const Group& group : groups_) {
    const Row& row = rows_[group.row];
    NumberedRules& rules = rules_of(group.components.front().versions.front());
    const Statements before = part_of(evaluated.content, row.cell, rules);
    log::CellContent part(before.begin(), before.end());
    for (const log::HistoryComponent& component : group.components) {
      ResolvedComponent resolved =
          resolve ? resolve(group, part, component) : evaluator_.resolve(row.cell, part, component);
      part = std::move(resolved.content);
      if (resolved.awaits_context) evaluated.awaiting[group.row] = true;
      if (resolved.record) evaluated.records[group.row].push_back(std::move(*resolved.record));
    }
    replace_part(evaluated.content, row.cell, rules, part);
  }
  return evaluated;
}

void MixedCells::write_outcome(const Evaluated& evaluated) {
  for (size_t row = 0; row < rows_.size(); ++row) {
    conflicts_.set_provisional(rows_[row].key, evaluated.records[row]);
    if (!writing_.memory.assignments.reads_context()) continue;
    set_awaiting(writing_.quads.tables(), writing_.tables.context, rows_[row].key, evaluated.awaiting[row]);
  }
  write_quads(evaluated.content);
}

std::set<log::Statement> MixedCells::as_of(const SubjectInGraph& subject, const log::SeenVector& replayed) {
  load(subject, true);
  Statements base = base_before(nullptr);
  only_ = replayed;
  make_groups();
  return evaluate(std::move(base)).content;
}

void MixedCells::show(const SubjectInGraph& subject) {
  load(subject, true);
  Statements base = base_before(nullptr);
  make_groups();
  write_outcome(evaluate(std::move(base)));
}

std::vector<CellOutcomes> MixedCells::replay(log::ChangesetKey changeset, const SubjectInGraph& subject,
                                             const log::SeenVector& before, const log::SeenVector& replayed,
                                             const Context& context) {
  load(subject, true);
  const Statements base = base_before(nullptr);
  only_ = before;
  make_groups();
  const Bases old_bases = bases_of_conflicts(base);
  groups_.clear();
  only_ = replayed;
  make_groups();
  std::vector<std::vector<ContextOutcome>> outcomes(rows_.size());
  std::vector<bool> is_decided(rows_.size(), false);
  evaluate(base,
           [&](const Group& group, const log::CellContent& part,
               const log::HistoryComponent& component) -> ResolvedComponent {
             const Row& row = rows_[group.row];
             const bool is_its = component.versions.size() > 1 && component.has(changeset.origin, changeset.seq);
             if (is_its) is_decided[group.row] = true;
             if (!evaluator_.reads_context(row.cell, component)) return evaluator_.resolve(row.cell, part, component);
             auto maximal = evaluator_.maximal_versions(component);
             auto known = writing_.outcomes().find(row.key, maximal);
             const auto old = old_bases.find({group.row, std::move(maximal)});
             if (known && !is_its && old != old_bases.end() && old->second == part) {
               outcomes[group.row].push_back(std::move(*known));
             } else {
               is_decided[group.row] = true;
               outcomes[group.row].push_back(evaluator_.resolve_in(context, row.cell, part, component));
             }
             return {outcomes[group.row].back().content, std::nullopt};
           });
  std::vector<CellOutcomes> decided;
  for (size_t row = 0; row < rows_.size(); ++row) {
    if (is_decided[row]) decided.push_back({rows_[row].key, std::move(outcomes[row])});
  }
  return decided;
}

// What each component of several versions finds.
MixedCells::Bases MixedCells::bases_of_conflicts(const Statements& base) {
  Bases bases;
  evaluate(base,
           [&](const Group& group, const log::CellContent& part,
               const log::HistoryComponent& component) -> ResolvedComponent {
             if (component.versions.size() > 1) {
               bases[{group.row, evaluator_.maximal_versions(component)}] = part;
             }
             return evaluator_.resolve(rows_[group.row].cell, part, component);
           });
  return bases;
}

log::SeenVector MixedCells::everything() const {
  return log::SeenVector(writing_.state.version_vector(), writing_.state);
}

void MixedCells::write_changed_rows(Window& window) {
  for (const Row& row : rows_) {
    if (!row.has_changed) continue;
    window.put_row(row.key, log::encode_history(row.cell, row.history), {std::nullopt, row.bulks});
  }
}

void MixedCells::write_quads(const Statements& content) {
  const auto quad_with = [&](const log::Statement& statement) {
    return model::Quad{subject_.subject, statement.property, statement.object, subject_.graph};
  };
  const Statements before = visible();
  for (const log::Statement& statement : before) {
    if (!content.contains(statement)) writing_.quads.erase(quad_with(statement));
  }
  for (const log::Statement& statement : content) {
    if (!before.contains(statement)) writing_.quads.insert(quad_with(statement));
  }
}

void MixedCells::fold(log::ChangesetKey changeset, const std::set<log::Cell>& cells, const log::SeenVector& stable) {
  load({cells.begin()->graph, cells.begin()->subject}, false);
  if (rows_.empty()) return;
  Statements base = base_before(nullptr);
  make_groups();
  std::optional<log::AssignmentNumber> blocked;
  for (Group& group : groups_) {
    if (blocked && *blocked < group.since) break;
    if (!fold_leading(group, stable, base)) blocked = group.since;
  }
  gather_components();
  for (Row& row : rows_) write_folded_row(row, base, changeset, cells);
}

void MixedCells::write_folded_row(Row& row, const Statements& base, log::ChangesetKey changeset,
                                  const std::set<log::Cell>& cells) {
  store::WriteTransaction& tables = writing_.quads.tables();
  if (row.history.components.empty()) {
    tables.erase(writing_.tables.log.window, row.key);
    return;
  }
  const Statements its = covered_by(row, base);
  row.history.base.assign(its.begin(), its.end());
  tables.put(writing_.tables.log.window, row.key, log::encode_history(row.cell, row.history));
  if (!cells.contains(row.cell)) return;
  for (const log::HistoryComponent& component : row.history.components) {
    for (const log::WindowVersion& version : component.versions) {
      const log::ChangesetKey its_changeset{version.origin, version.seq};
      if (its_changeset == changeset) writing_.log().add_waiting(its_changeset, row.key);
    }
  }
}

// Whether all of it has folded.
bool MixedCells::fold_leading(Group& group, const log::SeenVector& stable, Statements& base) {
  const Row& row = rows_[group.row];
  NumberedRules& rules = rules_of(group.components.front().versions.front());
  log::ChangeLogWriter log = writing_.log();
  const Statements before = part_of(base, row.cell, rules);
  log::CellContent part(before.begin(), before.end());
  auto component = group.components.begin();
  for (; component != group.components.end() && component->is_seen_by(stable); ++component) {
    ResolvedComponent resolved = finally_resolved(writing_, evaluator_, row.cell, row.key, part, *component);
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
