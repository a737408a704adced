#include "sim/checks/oracle.h"

#include <algorithm>
#include <compare>
#include <tuple>
#include <utility>

#include "engine/base/check.h"
#include "engine/model/term_order.h"

namespace quadrille::checks {
namespace {

using reconcile::Content;
using reconcile::Version;

void sort_content(Content& content) {
  std::sort(content.begin(), content.end(), [](const auto& a, const auto& b) {
    const auto by_property = model::compare_terms(a.property, b.property);
    return by_property != 0 ? by_property < 0 : model::compare_terms(a.object, b.object) < 0;
  });
  content.erase(std::unique(content.begin(), content.end()), content.end());
}

// One cell's version by one changeset.
struct Written {
  const RecordedChangeset* by = nullptr;
  Content saw;
  Content left;
};

bool has_seen(const Written& later, const Written& earlier) { return later.by->header.has_seen(earlier.by->header.id); }

bool are_concurrent(const Written& a, const Written& b) { return !has_seen(a, b) && !has_seen(b, a); }

struct CellVersions {
  reconcile::CellName name;
  std::vector<Written> versions;
};

// Where each concurrency component begins, in versions sorted by stamp. Components are totally ordered by causality,
// stamps agree with it, so a component is a run of neighbours; one ends where no version after is concurrent with any
// version up to there.
std::vector<size_t> component_starts(const std::vector<Written>& versions) {
  std::vector<size_t> starts;
  size_t reach = 0;  // the last version known to belong to the component
  for (size_t i = 0; i < versions.size(); ++i) {
    if (i == 0 || i > reach) {
      starts.push_back(i);
      reach = i;
    }
    for (size_t j = versions.size() - 1; j > reach; --j) {
      if (are_concurrent(versions[i], versions[j])) reach = j;
    }
  }
  return starts;
}

reconcile::Conflict conflict_of(const reconcile::CellName& name, const Content& base, const std::string& argument,
                                const Written* first, size_t count) {
  reconcile::Conflict conflict;
  conflict.cell = name;
  conflict.base = base;
  conflict.argument = argument;
  conflict.seen.assign(count, std::vector<bool>(count, false));
  for (size_t i = 0; i < count; ++i) {
    const auto& header = first[i].by->header;
    conflict.versions.push_back({header.id, header.stamp, first[i].saw, first[i].left, true});
    for (size_t j = 0; j < count; ++j) conflict.seen[i][j] = i != j && has_seen(first[i], first[j]);
  }
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = 0; j < count; ++j) {
      if (conflict.seen[i][j]) conflict.versions[j].is_maximal = false;
    }
  }
  return conflict;
}

// Nothing if the maximal versions agree.
void note_conflict(const reconcile::Conflict& conflict, const Content& chosen, std::string_view policy,
                   std::vector<reconcile::ConflictRecord>& out) {
  reconcile::ConflictRecord record{.id = {},
                                   .time = {},
                                   .cell = conflict.cell,
                                   .candidates = {},
                                   .chosen = chosen,
                                   .policy = std::string(policy),
                                   .failure = {},
                                   .is_provisional = false};
  for (const auto& version : conflict.versions) {
    record.time = std::max(record.time, version.stamp);
    if (version.is_maximal) record.candidates.push_back(version);
  }
  const bool agree = std::all_of(record.candidates.begin(), record.candidates.end(),
                                 [&](const Version& each) { return each.left == record.candidates.front().left; });
  if (agree) return;
  out.push_back(std::move(record));
}

OracleCell resolve_cell(CellVersions cell, const reconcile::NamedPolicy& policy) {
  auto& versions = cell.versions;
  std::sort(versions.begin(), versions.end(), [](const Written& a, const Written& b) {
    return std::tie(a.by->header.stamp, a.by->header.id) < std::tie(b.by->header.stamp, b.by->header.id);
  });
  OracleCell result{.name = cell.name, .writers = {}, .content = {}, .conflicts = {}};
  for (const auto& version : versions) result.writers.push_back(version.by);
  const auto starts = component_starts(versions);
  for (size_t i = 0; i < starts.size(); ++i) {
    const size_t end = i + 1 < starts.size() ? starts[i + 1] : versions.size();
    if (end - starts[i] == 1) {
      result.content = versions[starts[i]].left;
      continue;
    }
    const auto conflict =
        conflict_of(cell.name, result.content, policy.argument, &versions[starts[i]], end - starts[i]);
    auto chosen = policy.policy->resolve(conflict).content;
    sort_content(chosen);
    note_conflict(conflict, chosen, policy.text, result.conflicts);
    result.content = std::move(chosen);
  }
  return result;
}

reconcile::CellName quad_cell(const model::TermQuad& quad) {
  return {log::CellKind::Quad, quad.graph, quad.subject, quad.predicate, quad.object};
}

std::string_view graph_text(const std::optional<model::Term>& graph) {
  return graph ? std::string_view(graph->text()) : std::string_view();
}

}  // namespace

std::string cell_text(const reconcile::CellName& cell) {
  std::string text = std::to_string(static_cast<int>(cell.kind));
  for (const auto& term : {cell.graph, std::optional(cell.subject), std::optional(cell.property), cell.object}) {
    text += ' ';
    if (term) text += model::to_ntriples(*term);
  }
  return text;
}

Oracle::Oracle(const History& history, const reconcile::Assignment& assignment,
               const reconcile::PolicyRegistry& policies)
    : assignment_(assignment), policies_(policies) {
  std::map<std::string, CellVersions> cells;
  const auto versions_of = [&](const reconcile::CellName& name) -> std::vector<Written>& {
    return cells.try_emplace(cell_text(name), CellVersions{name, {}}).first->second.versions;
  };
  for (const auto& [id, changeset] : history.changesets()) {
    for (const auto& assertion : changeset.quads) {
      Content left;
      if (assertion.exists) left.push_back({assertion.quad.predicate, assertion.quad.object});
      versions_of(quad_cell(assertion.quad)).push_back({&changeset, {}, std::move(left)});
    }
    for (const auto& cell : changeset.cells) {
      Written written{&changeset, cell.saw, cell.left};
      sort_content(written.saw);
      sort_content(written.left);
      versions_of(cell.cell).push_back(std::move(written));
    }
  }
  for (auto& [key, cell] : cells) {
    const auto policy = policy_of(cell.name);
    cells_.emplace(key, resolve_cell(std::move(cell), policy));
  }
}

reconcile::NamedPolicy Oracle::policy_of(const reconcile::CellName& cell) const {
  if (cell.kind == log::CellKind::Record) {
    const auto rule = std::find_if(assignment_.rules.begin(), assignment_.rules.end(),
                                   [&](const auto& each) { return each.group == cell.property.text(); });
    QUADRILLE_CHECK(rule != assignment_.rules.end(), "a record cell has a rule that names its group");
    return policies_.find_named(rule->policy);
  }
  return reconcile::find_rule(assignment_, policies_, graph_text(cell.graph), cell.property.text()).decided_by;
}

std::vector<model::TermQuad> Oracle::quads() const {
  std::vector<model::TermQuad> found;
  for (const auto& [key, cell] : cells_) {
    for (const auto& statement : cell.content) {
      found.push_back({cell.name.subject, statement.property, statement.object, cell.name.graph});
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::vector<reconcile::ConflictRecord> Oracle::conflicts() const {
  std::vector<reconcile::ConflictRecord> found;
  for (const auto& [key, cell] : cells_) found.insert(found.end(), cell.conflicts.begin(), cell.conflicts.end());
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  return found;
}

const OracleCell* Oracle::cell_of(const model::TermQuad& quad) const {
  const auto found = cells_.find(key_of(quad));
  return found == cells_.end() ? nullptr : &found->second;
}

std::string Oracle::key_of(const model::TermQuad& quad) const {
  const auto rule = reconcile::find_rule(assignment_, policies_, graph_text(quad.graph), quad.predicate.text());
  if (rule.kind == log::CellKind::Quad) return cell_text(quad_cell(quad));
  return cell_text({rule.kind, quad.graph, quad.subject, rule.group.value_or(quad.predicate), std::nullopt});
}

}  // namespace quadrille::checks
