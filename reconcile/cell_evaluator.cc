#include "reconcile/cell_evaluator.h"

#include <algorithm>
#include <new>
#include <tuple>

#include "log/stored_operations.h"
#include "reconcile/cell_text.h"

namespace quadrille::reconcile {
namespace {

// What a policy may answer that is not quite lost to reason.
constexpr size_t statements_max = 10'000;

bool comes_before(const VersionPlace& left, const VersionPlace& right) {
  return std::tie(left.stamp, *left.site) < std::tie(right.stamp, *right.site);
}

// Maximal is what none has seen. (A changeset has seen those of its origin before it, not itself.)
template <class Versions>
void mark_maximal(Versions& versions) {
  std::vector<std::pair<log::OriginNumber, uint64_t>> most_seen;  // by origin
  for (const auto& one : versions) most_seen.emplace_back(one.place.origin, 0);
  std::sort(most_seen.begin(), most_seen.end());
  most_seen.erase(std::unique(most_seen.begin(), most_seen.end()), most_seen.end());
  for (auto& [origin, seq] : most_seen) {
    for (const auto& one : versions) seq = std::max(seq, one.place.seen->at(origin));
  }
  for (auto& one : versions) {
    const auto by_all = std::lower_bound(most_seen.begin(), most_seen.end(), std::pair(one.place.origin, uint64_t{0}));
    one.is_maximal = by_all->second < one.place.seq;
  }
}

template <class Versions>
StoredConflict make_record(const log::Cell& cell, const NamedPolicy& deciding, const Versions& versions) {
  StoredConflict record;
  record.time = versions.back().place.stamp;
  record.cell = cell;
  record.policy = deciding.text;
  for (const auto& one : versions) {
    if (!one.is_maximal) continue;
    record.candidates.push_back(
        {one.place.origin, one.place.seq, one.place.stamp, one.version->saw, one.version->left});
  }
  return record;
}

// Nothing where it fails: resolve() is asked then, and tells why.
std::optional<size_t> choose(const Policy& policy, const Outline& outline) {
  try {
    return policy.choose(outline);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (...) {
    return std::nullopt;
  }
}

template <class Versions>
std::vector<log::ChangesetKey> maximal_of(const Versions& versions) {
  std::vector<log::ChangesetKey> maximal;
  for (const auto& one : versions) {
    if (one.is_maximal) maximal.push_back({one.place.origin, one.place.seq});
  }
  std::sort(maximal.begin(), maximal.end());
  return maximal;
}

// The versions that leave, by name.
std::vector<log::ChangesetKey> drop(log::HistoryComponent& component, const std::vector<bool>& leaves) {
  std::vector<log::ChangesetKey> dropped;
  std::vector<log::WindowVersion> kept;
  for (size_t i = 0; i < leaves.size(); ++i) {
    log::WindowVersion& version = component.versions[i];
    if (leaves[i]) {
      dropped.push_back({version.origin, version.seq});
    } else {
      kept.push_back(std::move(version));
    }
  }
  component.versions = std::move(kept);
  return dropped;
}

bool has_different_candidates(const StoredConflict& record) {
  const log::CellContent& first = record.candidates.front().left;
  return std::any_of(record.candidates.begin(), record.candidates.end(),
                     [&](const StoredCandidate& candidate) { return candidate.left != first; });
}

}  // namespace

std::vector<VersionPlace> CellEvaluator::places_of(const std::vector<log::WindowVersion>& versions) {
  std::vector<VersionPlace> places;
  places.reserve(versions.size());
  for (const log::WindowVersion& version : versions) {
    const ChangesetFacts& facts = facts_.get({version.origin, version.seq}, log_, state_, assignments_);
    places.push_back({version.origin, version.seq, facts.stamp, &state_.origins[version.origin].site, &facts.seen});
  }
  return places;
}

std::vector<CellEvaluator::Placed> CellEvaluator::place(const log::HistoryComponent& component) {
  std::vector<Placed> versions;
  versions.reserve(component.versions.size());
  for (const log::WindowVersion& version : component.versions) {
    const ChangesetFacts& facts = facts_.get({version.origin, version.seq}, log_, state_, assignments_);
    versions.push_back({&version,
                        {version.origin, version.seq, facts.stamp, &state_.origins[version.origin].site, &facts.seen},
                        facts.rules,
                        false});
  }
  mark_maximal(versions);
  return versions;
}

void CellEvaluator::sort(log::HistoryComponent& component) {
  std::vector<Placed> versions = place(component);
  std::sort(versions.begin(), versions.end(),
            [](const Placed& left, const Placed& right) { return comes_before(left.place, right.place); });
  std::vector<log::WindowVersion> sorted;
  sorted.reserve(versions.size());
  for (const Placed& one : versions) sorted.push_back(*one.version);
  component.versions = std::move(sorted);
}

const CellRule& CellEvaluator::rule_of(const log::Cell& cell, NumberedRules& rules) {
  const CellRule* rule = rules.rules.find_rule_of(cell, terms_);
  if (!rule) log::fail_as_corrupt("log.window");
  return *rule;
}

NumberedRules& CellEvaluator::deciding_rules(const std::vector<Placed>& versions) {
  const auto newest = std::max_element(versions.begin(), versions.end(), [](const Placed& left, const Placed& right) {
    return left.rules != right.rules && left.rules->number < right.rules->number;
  });
  return *newest->rules;
}

std::vector<CellEvaluator::Placed> CellEvaluator::shown(const log::Cell& cell, const NamedPolicy& deciding,
                                                        std::vector<Placed> versions) {
  std::erase_if(versions, [&](const Placed& one) {
    return !one.is_maximal && policy_of(cell, *one.rules).text != deciding.text;
  });
  return versions;
}

ResolvedComponent CellEvaluator::resolve(const log::Cell& cell, const log::CellContent& base,
                                         const log::HistoryComponent& component) {
  if (component.versions.size() == 1) return {component.versions.front().left, std::nullopt};
  const std::vector<Placed> versions = place(component);
  NumberedRules& rules = deciding_rules(versions);
  const CellRule& rule = rule_of(cell, rules);
  StoredConflict record = make_record(cell, rule.decided_by, versions);
  const auto outcome = rule.fallback ? outcomes_.find(log::cell_key(cell), maximal_of(versions)) : std::nullopt;
  if (outcome) {
    record.chosen = outcome->content;
    record.failure = outcome->failure;
  } else {
    if (rule.fallback) record.fallback = rule.fallback->text;
    const Judge judge{rule.fallback ? *rule.fallback : rule.decided_by, rules};
    record.chosen = decide(cell, base, judge, shown(cell, rule.decided_by, versions), record.failure);
  }
  ResolvedComponent resolved{record.chosen, std::nullopt, rule.fallback && !outcome};
  if (has_different_candidates(record)) resolved.record = std::move(record);
  return resolved;
}

std::vector<log::ChangesetKey> CellEvaluator::maximal_versions(const log::HistoryComponent& component) {
  return maximal_of(place(component));
}

bool CellEvaluator::reads_context(const log::Cell& cell, const log::HistoryComponent& component) {
  if (component.versions.size() == 1) return false;
  return rule_of(cell, deciding_rules(place(component))).fallback.has_value();
}

ContextOutcome CellEvaluator::resolve_in(const Context& context, const log::Cell& cell, const log::CellContent& base,
                                         const log::HistoryComponent& component) {
  const std::vector<Placed> versions = place(component);
  NumberedRules& rules = deciding_rules(versions);
  const NamedPolicy& deciding = policy_of(cell, rules);
  ContextOutcome outcome;
  outcome.maximal = maximal_of(versions);
  outcome.content = decide(cell, base, {deciding, rules, &context}, shown(cell, deciding, versions), outcome.failure);
  std::sort(outcome.content.begin(), outcome.content.end());
  return outcome;
}

log::CellContent CellEvaluator::decide(const log::Cell& cell, const log::CellContent& base, const Judge& judge,
                                       const std::vector<Placed>& versions, std::string& failure) {
  std::vector<VersionOutline> outlines;
  outlines.reserve(versions.size());
  for (const Placed& one : versions) {
    outlines.push_back({one.place.site, one.place.stamp, one.is_maximal, one.version->left.empty()});
  }
  if (!judge.context) {
    const auto chosen = choose(*judge.policy.policy, {outlines, judge.policy.argument});
    if (chosen && *chosen < versions.size()) return versions[*chosen].version->left;
  }
  Conflict conflict = make_conflict(cell, base, judge.policy, versions);
  conflict.context = judge.context;
  if (const auto answer = ask(cell, judge, conflict, failure)) return to_ids(*answer, terms_);
  if (cell.kind != log::CellKind::Quad) return versions.back().version->left;
  const auto adds = std::find_if(versions.begin(), versions.end(),
                                 [](const Placed& one) { return one.is_maximal && !one.version->left.empty(); });
  return adds == versions.end() ? log::CellContent() : adds->version->left;
}

// Nothing, and why.
std::optional<Content> CellEvaluator::ask(const log::Cell& cell, const Judge& judge, const Conflict& conflict,
                                          std::string& failure) {
  try {
    Content content = judge.policy.policy->resolve(conflict).content;
    std::sort(content.begin(), content.end());
    content.erase(std::unique(content.begin(), content.end()), content.end());
    if (content.size() > statements_max) {
      failure = "it answered more statements than a cell may hold";
      return std::nullopt;
    }
    const bool is_all_of_cell = std::all_of(content.begin(), content.end(), [&](const CellStatement& statement) {
      return is_of(cell, conflict.cell, statement, judge.rules);
    });
    if (is_all_of_cell) return content;
    failure = "it answered a statement that is not of the cell";
  } catch (const std::bad_alloc&) {
    throw;  // no memory here is memory elsewhere: sites would decide differently
  } catch (const base::StorageError&) {
    throw;
  } catch (const std::exception& trouble) {
    failure = trouble.what();
  } catch (...) {
    failure = "it threw something that is no std::exception";
  }
  return std::nullopt;
}

Conflict CellEvaluator::make_conflict(const log::Cell& cell, const log::CellContent& base, const NamedPolicy& deciding,
                                      const std::vector<Placed>& versions) {
  Conflict conflict;
  conflict.cell = cell_name(cell, terms_);
  conflict.base = to_text(base, terms_);
  conflict.argument = deciding.argument;
  const size_t count = versions.size();
  conflict.seen.assign(count, std::vector<bool>(count, false));
  for (size_t i = 0; i < count; ++i) {
    const Placed& one = versions[i];
    conflict.versions.push_back({{*one.place.site, one.place.seq},
                                 one.place.stamp,
                                 to_text(one.version->saw, terms_),
                                 to_text(one.version->left, terms_),
                                 one.is_maximal});
    for (size_t k = 0; k < count; ++k) {
      conflict.seen[i][k] = i != k && one.place.has_seen(versions[k].place);
    }
  }
  return conflict;
}

// The policy by whose retention versions may leave; null: none may. Where they are of several assignments, one that
// comes in late might come between them, and part them, unless the newest is known to all.
const NamedPolicy* CellEvaluator::find_retaining_policy(const log::Cell& cell, const std::vector<Placed>& versions) {
  NumberedRules& newest = deciding_rules(versions);
  const NamedPolicy& policy = policy_of(cell, newest);
  const bool is_of_one =
      std::all_of(versions.begin(), versions.end(), [&](const Placed& one) { return one.rules == &newest; });
  if (is_of_one) return &policy;
  const bool is_of_one_policy = std::all_of(versions.begin(), versions.end(), [&](const Placed& one) {
    return policy_of(cell, *one.rules).text == policy.text;
  });
  const bool is_settled = newest.is_known_to_all && !assignments_.is_in_transition(cell, terms_);
  return is_of_one_policy && is_settled ? &policy : nullptr;
}

std::vector<log::ChangesetKey> CellEvaluator::drop_what_may_leave(const log::Cell& cell, const log::CellContent& base,
                                                                  log::HistoryComponent& component,
                                                                  const log::SeenVector& stable) {
  if (component.versions.size() <= 2) return {};  // both are maximal
  const std::vector<Placed> versions = place(component);
  const NamedPolicy* policy = find_retaining_policy(cell, versions);
  if (!policy || policy->policy->retention() == Retention::AllVersions) return {};
  const bool looks_at_maximal = policy->policy->retention() == Retention::MaximalVersions;
  const std::vector<bool> leaves =
      looks_at_maximal ? superseded(versions, stable) : may_leave(cell, base, *policy, versions, stable);
  std::vector<VersionPlace> staying;
  for (size_t i = 0; i < versions.size(); ++i) {
    if (!leaves[i]) staying.push_back(versions[i].place);
  }
  if (staying.size() == versions.size() || find_components(staying).size() > 1) return {};
  return drop(component, leaves);
}

// Seen by a stable one. Not simply by any: what reads other cells may still have to look at a state in which the newer
// one was not, at a moment that its assignment, not known here yet, will name.
std::vector<bool> CellEvaluator::superseded(const std::vector<Placed>& versions, const log::SeenVector& stable) const {
  std::vector<uint64_t> seen(state_.origins.size(), 0);
  for (const Placed& one : versions) {
    if (!stable.covers(one.place.origin, one.place.seq)) continue;
    for (log::OriginNumber origin = 0; origin < seen.size(); ++origin) {
      seen[origin] = std::max(seen[origin], one.place.seen->at(origin));
    }
  }
  std::vector<bool> leaves;
  for (const Placed& one : versions) leaves.push_back(one.place.seq <= seen[one.place.origin]);
  return leaves;
}

// Asked of the component as it is; and with all marked as maximal that no stable version has seen, as each of
// those was, or will be, maximal in a state that policies may still have to look at (superseded()).
std::vector<bool> CellEvaluator::may_leave(const log::Cell& cell, const log::CellContent& base,
                                           const NamedPolicy& policy, const std::vector<Placed>& versions,
                                           const log::SeenVector& stable) {
  const std::vector<bool> is_superseded = superseded(versions, stable);
  const Conflict conflict = make_conflict(cell, base, policy, versions);
  Conflict seen_before = conflict;
  for (size_t i = 0; i < versions.size(); ++i) seen_before.versions[i].is_maximal = !is_superseded[i];
  std::vector<bool> leaves(versions.size(), false);
  for (size_t i = 0; i < versions.size(); ++i) {
    const Placed& one = versions[i];
    if (!is_superseded[i] || !stable.covers(one.place.origin, one.place.seq)) continue;
    try {
      leaves[i] = policy.policy->may_leave(conflict, i) && policy.policy->may_leave(seen_before, i);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (...) {
      break;  // of those behind it nothing is known: they stay
    }
  }
  return leaves;
}

bool CellEvaluator::is_of(const log::Cell& cell, const CellName& name, const CellStatement& statement,
                          NumberedRules& rules) {
  if (cell.kind == log::CellKind::Record) {
    return statement.property.is_iri() && rules.rules.is_of(cell, terms_.intern(statement.property), terms_);
  }
  if (statement.property != name.property) return false;
  return cell.kind != log::CellKind::Quad || statement.object == name.object;
}

}  // namespace quadrille::reconcile
