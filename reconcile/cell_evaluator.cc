#include "reconcile/cell_evaluator.h"

#include <algorithm>
#include <new>

namespace quadrille::reconcile {
namespace {

Content decide_by_fallback(const Conflict& conflict) {
  if (conflict.cell.kind != log::CellKind::Quad) return conflict.versions.back().left;
  for (const Version& version : conflict.versions) {
    if (version.is_maximal && !version.left.empty()) return version.left;
  }
  return {};
}

bool belongs_to(const CellName& cell, const CellStatement& statement) {
  if (statement.property != cell.property) return false;
  return cell.kind != log::CellKind::Quad || statement.object == cell.object;
}

struct Answer {
  Content content;
  std::string failure;
};

Answer ask(const Policy& policy, const Conflict& conflict) {
  try {
    Content content = policy.resolve(conflict).content;
    for (const CellStatement& statement : content) {
      if (belongs_to(conflict.cell, statement)) continue;
      return {decide_by_fallback(conflict), "it answered a statement that is not of the cell"};
    }
    std::sort(content.begin(), content.end());
    content.erase(std::unique(content.begin(), content.end()), content.end());
    return {std::move(content), {}};
  } catch (const std::bad_alloc&) {
    throw;  // no memory here is memory elsewhere: sites would decide differently
  } catch (const std::exception& failure) {
    return {decide_by_fallback(conflict), failure.what()};
  } catch (...) {
    return {decide_by_fallback(conflict), "it threw something that is no std::exception"};
  }
}

std::optional<ConflictRecord> make_record(const Conflict& conflict, const Policy& policy, const Answer& answer) {
  ConflictRecord record;
  for (const Version& version : conflict.versions) {
    if (version.is_maximal) record.candidates.push_back(version);
  }
  const Content& first = record.candidates.front().left;
  const bool all_left_the_same = std::all_of(record.candidates.begin(), record.candidates.end(),
                                             [&](const Version& version) { return version.left == first; });
  if (all_left_the_same) return std::nullopt;
  record.time = conflict.versions.back().stamp;
  record.cell = conflict.cell;
  record.chosen = answer.content;
  record.policy = policy.name();
  record.failure = answer.failure;
  record.id = conflict_id(record);
  return record;
}

}  // namespace

CellView CellEvaluator::view(const log::Cell& cell, const log::CellHistory& history) {
  facts_.make_room();
  CellView view{cell, history, {}, {}};
  for (const log::WindowVersion& version : history.versions) {
    const ChangesetFacts& facts = facts_.get({version.origin, version.seq}, log_, state_);
    view.places.push_back(
        {version.origin, version.seq, facts.stamp, &state_.origins[version.origin].site, &facts.seen});
  }
  view.components = find_components(view.places);
  return view;
}

ResolvedComponent CellEvaluator::resolve(const CellView& view, const Policy& policy, const log::CellContent& base,
                                         const Component& component) {
  if (component.size() == 1) return {view.history.versions[component.front()].left, std::nullopt};
  const Conflict conflict = make_conflict(view, base, component);
  const Answer answer = ask(policy, conflict);
  return {to_ids(answer.content), make_record(conflict, policy, answer)};
}

Conflict CellEvaluator::make_conflict(const CellView& view, const log::CellContent& base, const Component& component) {
  Conflict conflict;
  const log::Cell& cell = view.cell;
  conflict.cell.kind = cell.kind;
  if (cell.graph != model::TermId::default_graph()) conflict.cell.graph = terms_.get_term(cell.graph);
  conflict.cell.subject = terms_.get_term(cell.subject);
  conflict.cell.property = terms_.get_term(cell.property);
  if (cell.kind == log::CellKind::Quad) conflict.cell.object = terms_.get_term(cell.object);
  conflict.base = to_text(base);
  const size_t count = component.size();
  conflict.seen.assign(count, std::vector<bool>(count, false));
  for (size_t i = 0; i < count; ++i) {
    const log::WindowVersion& version = view.history.versions[component[i]];
    const VersionPlace& place = view.places[component[i]];
    conflict.versions.push_back(
        {{*place.site, version.seq}, place.stamp, to_text(version.saw), to_text(version.left), true});
    for (size_t k = 0; k < count; ++k) {
      conflict.seen[i][k] = i != k && place.has_seen(view.places[component[k]]);
    }
  }
  for (size_t i = 0; i < count; ++i) {
    for (size_t k = 0; k < count; ++k) {
      if (conflict.seen[i][k]) conflict.versions[k].is_maximal = false;
    }
  }
  return conflict;
}

Content CellEvaluator::to_text(const log::CellContent& content) {
  Content text;
  text.reserve(content.size());
  for (const log::Statement& statement : content) {
    text.push_back({terms_.get_term(statement.property), terms_.get_term(statement.object)});
  }
  std::sort(text.begin(), text.end());
  return text;
}

log::CellContent CellEvaluator::to_ids(const Content& content) {
  log::CellContent ids;
  for (const CellStatement& statement : content) {
    ids.push_back({terms_.intern(statement.property), terms_.intern(statement.object)});
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace quadrille::reconcile
