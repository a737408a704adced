#include "sim/checks/oracle.h"

#include <algorithm>
#include <compare>
#include <optional>
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
                                   .fallback = {},
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

// Neighbours in the order of stamps.
struct Component {
  size_t first = 0;
  size_t count = 0;
  std::optional<Content> decided;  // of several versions
};

// A cell as it grows, changeset by changeset, in the order of (stamp, origin).
class GrowingCell {
 public:
  GrowingCell(reconcile::CellName name, reconcile::NamedPolicy policy)
      : name_(std::move(name)), policy_(std::move(policy)) {}

  const reconcile::CellName& name() const { return name_; }
  bool reads_context() const { return policy_.policy->reads_context(); }

  // It has been seen by none of those before. All that it has not seen become one component with it, and so does what
  // lies between.
  void add(Written version) {
    size_t joined = components_.size();
    for (size_t i = components_.size(); i > 0; --i) {
      const Component& one = components_[i - 1];
      for (size_t k = one.first; k < one.first + one.count; ++k) {
        if (!has_seen(version, versions_[k])) joined = i - 1;
      }
    }
    const size_t first = joined < components_.size() ? components_[joined].first : versions_.size();
    versions_.push_back(std::move(version));
    components_.resize(joined);
    components_.push_back({first, versions_.size() - first, std::nullopt});
    content_.reset();
  }

  const Content& content(const reconcile::Context* context = nullptr) {
    if (content_) return *content_;
    content_.emplace();
    for (Component& one : components_) {
      if (one.count == 1) {
        content_ = versions_[one.first].left;
        continue;
      }
      if (!one.decided) one.decided = decide(one, *content_, context);
      content_ = *one.decided;
    }
    return *content_;
  }

  OracleCell finish() {
    OracleCell result{.name = name_, .writers = {}, .content = content(), .conflicts = {}};
    for (const auto& version : versions_) result.writers.push_back(version.by);
    for (const Component& one : components_) {
      if (one.count == 1) continue;
      note_conflict(conflict_of(name_, {}, policy_.argument, &versions_[one.first], one.count), *one.decided,
                    policy_.text, result.conflicts);
    }
    return result;
  }

 private:
  Content decide(const Component& component, const Content& base, const reconcile::Context* context) const {
    auto conflict = conflict_of(name_, base, policy_.argument, &versions_[component.first], component.count);
    conflict.context = context;
    Content chosen = policy_.policy->resolve(conflict).content;
    sort_content(chosen);
    return chosen;
  }

  reconcile::CellName name_;
  reconcile::NamedPolicy policy_;
  std::vector<Written> versions_;
  std::vector<Component> components_;
  std::optional<Content> content_;  // as far as it is known
};

using GrowingCells = std::map<std::string, GrowingCell>;

bool fits(const reconcile::QuadPattern& pattern, const model::TermQuad& quad) {
  const auto is_any_or = [](const std::optional<model::Term>& wanted, const model::Term& term) {
    return !wanted || *wanted == term;
  };
  if (pattern.default_graph_only ? quad.graph.has_value() : pattern.graph && pattern.graph != quad.graph) return false;
  return is_any_or(pattern.subject, quad.subject) && is_any_or(pattern.property, quad.predicate) &&
         is_any_or(pattern.object, quad.object);
}

class ContextOfCells final : public reconcile::Context {
 public:
  explicit ContextOfCells(GrowingCells& cells) : cells_(cells) {}
  std::vector<model::TermQuad> match(const reconcile::QuadPattern& pattern) const override {
    std::vector<model::TermQuad> found;
    for (auto& [key, cell] : cells_) {
      for (const auto& statement : cell.content()) {
        model::TermQuad quad{cell.name().subject, statement.property, statement.object, cell.name().graph};
        if (fits(pattern, quad)) found.push_back(std::move(quad));
      }
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
      return std::tie(a.graph, a.subject, a.predicate, a.object) < std::tie(b.graph, b.subject, b.predicate, b.object);
    });
    return found;
  }

 private:
  GrowingCells& cells_;
};

reconcile::CellName quad_cell(const model::TermQuad& quad) {
  return {log::CellKind::Quad, quad.graph, quad.subject, quad.predicate, quad.object};
}

// What one changeset wrote, by cell.
std::vector<std::pair<reconcile::CellName, Written>> versions_of(const RecordedChangeset& changeset) {
  std::vector<std::pair<reconcile::CellName, Written>> versions;
  for (const auto& assertion : changeset.quads) {
    Content left;
    if (assertion.exists) left.push_back({assertion.quad.predicate, assertion.quad.object});
    versions.emplace_back(quad_cell(assertion.quad), Written{&changeset, {}, std::move(left)});
  }
  for (const auto& cell : changeset.cells) {
    Written written{&changeset, cell.saw, cell.left};
    sort_content(written.saw);
    sort_content(written.left);
    versions.emplace_back(cell.cell, std::move(written));
  }
  return versions;
}

std::vector<const RecordedChangeset*> by_stamp(const History& history) {
  std::vector<const RecordedChangeset*> changesets;
  for (const auto& [id, changeset] : history.changesets()) changesets.push_back(&changeset);
  std::sort(changesets.begin(), changesets.end(), [](const auto* a, const auto* b) {
    return std::tie(a->header.stamp, a->header.id) < std::tie(b->header.stamp, b->header.id);
  });
  return changesets;
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
  GrowingCells cells;
  for (const RecordedChangeset* changeset : by_stamp(history)) {
    // Policies that read other cells see what was before the changeset: those cells grow aside.
    const ContextOfCells context(cells);
    std::vector<std::pair<GrowingCell*, GrowingCell>> decided;
    std::vector<std::pair<GrowingCell*, Written>> others;
    for (auto& [name, version] : versions_of(*changeset)) {
      GrowingCell& cell = cells.try_emplace(cell_text(name), name, policy_of(name)).first->second;
      if (!cell.reads_context()) {
        others.emplace_back(&cell, std::move(version));
        continue;
      }
      GrowingCell& grown = decided.emplace_back(&cell, cell).second;
      grown.add(std::move(version));
      grown.content(&context);
    }
    for (auto& [cell, grown] : decided) *cell = std::move(grown);
    for (auto& [cell, version] : others) cell->add(std::move(version));
  }
  for (auto& [key, cell] : cells) cells_.emplace(key, cell.finish());
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
