#include "reconcile/assignment_history.h"

#include <algorithm>

namespace quadrille::reconcile {
namespace {

// Real data has few properties and graphs; data that has not must not fill the memory.
constexpr size_t remembered_max = 100'000;

bool may_match_the_same(const IriMatch& left, const IriMatch& right) {
  const auto fixed_part = [](const IriMatch& match) {
    return std::string_view(match.text).substr(0, match.text.size() - (match.is_prefix() ? 1 : 0));
  };
  return left.text == right.text || (left.is_prefix() && fixed_part(right).starts_with(fixed_part(left))) ||
         (right.is_prefix() && fixed_part(left).starts_with(fixed_part(right)));
}

bool may_match_the_same(const AssignmentRule& left, const AssignmentRule& right) {
  return may_match_the_same(left.graph, right.graph) && may_match_the_same(left.property, right.property);
}

}  // namespace

GroupRules rules_of_group(const Assignment& assignment, std::string_view group) {
  const auto is_of_group = [&](const AssignmentRule& rule) {
    return rule.cells == log::CellKind::Record && rule.group == group;
  };
  GroupRules found;
  for (const AssignmentRule& rule : assignment.rules) {
    const bool counts = std::any_of(assignment.rules.begin(), assignment.rules.end(), [&](const AssignmentRule& one) {
      return is_of_group(one) && may_match_the_same(one, rule);
    });
    if (counts) found.emplace_back(rule.graph.text, rule.property.text, rule.cells, rule.group);
  }
  std::sort(found.begin(), found.end());
  return found;
}

const GroupRules& NumberedRules::rules_of_group(const std::string& group) {
  const auto [known, is_new] = groups_.try_emplace(group);
  if (is_new) known->second = reconcile::rules_of_group(assignment, group);
  return known->second;
}

NumberedRules::NumberedRules(log::AssignmentNumber its_number, uint64_t its_seq, Assignment its,
                             const PolicyRegistry& policies)
    : number(std::move(its_number)), seq(its_seq), assignment(std::move(its)), rules(assignment, policies) {}

NumberedRules& AssignmentHistory::add(log::AssignmentNumber number, uint64_t seq, Assignment assignment) {
  auto numbered = std::make_unique<NumberedRules>(number, seq, std::move(assignment), policies_);
  ++changes_;
  NumberedRules& added = *numbered_.insert_or_assign(std::move(number), std::move(numbered)).first->second;
  on_change();
  return added;
}

void AssignmentHistory::remove_before(const log::AssignmentNumber& number) {
  numbered_.erase(numbered_.begin(), numbered_.lower_bound(number));
  QUADRILLE_CHECK(!numbered_.empty(), "no policy assignment is left");
  on_change();
}

void AssignmentHistory::clear() {
  numbered_.clear();
  on_change();
}

void AssignmentHistory::on_change() {
  in_transition_.clear();
  groups_in_transition_.clear();
  reads_context_ = std::any_of(numbered_.begin(), numbered_.end(), [&](const auto& each) {
    const Assignment& assignment = each.second->assignment;
    const auto reads = [&](const std::string& policy) {
      return find_fallback(policies_.find_named(policy), policies_).has_value();
    };
    return reads(assignment.default_policy) ||
           std::any_of(assignment.rules.begin(), assignment.rules.end(),
                       [&](const AssignmentRule& rule) { return reads(rule.policy); });
  });
}

bool AssignmentHistory::may_read_context(const log::Cell& cell, const model::QuadSource& terms) {
  if (!reads_context_) return false;
  return std::any_of(numbered_.begin(), numbered_.end(), [&](const auto& each) {
    const CellRule* rule = each.second->rules.find_rule_of(cell, terms);
    return rule && rule->fallback;
  });
}

NumberedRules* AssignmentHistory::find(const log::AssignmentNumber& number) {
  const auto entry = numbered_.find(number);
  return entry == numbered_.end() ? nullptr : entry->second.get();
}

NumberedRules* AssignmentHistory::find_in_force_at(const log::VersionVector& dependencies) {
  for (auto numbered = numbered_.rbegin(); numbered != numbered_.rend(); ++numbered) {
    const auto& [number, rules] = *numbered;
    if (number.is_initial() || dependencies.covers(number.origin, rules->seq)) return rules.get();
  }
  return nullptr;
}

bool AssignmentHistory::has_all_of(const AssignmentHistory& other) const {
  return std::all_of(other.numbered_.begin(), other.numbered_.end(),
                     [&](const auto& each) { return numbered_.contains(each.first); });
}

bool AssignmentHistory::has_same_cells(NumberedRules& left, NumberedRules& right, model::TermId graph,
                                       model::TermId property, const model::QuadSource& terms) {
  const CellRule& one = left.rules.rule_of(graph, property, terms);
  const CellRule& other = right.rules.rule_of(graph, property, terms);
  if (one.kind != other.kind) return false;
  if (one.kind != log::CellKind::Record) return true;
  return one.group == other.group && has_same_group(left, right, one.group->text());
}

bool AssignmentHistory::is_in_transition(model::TermId graph, model::TermId property, const model::QuadSource& terms) {
  if (numbered_.size() == 1) return false;
  if (in_transition_.size() >= remembered_max) in_transition_.clear();
  const auto [entry, is_new] = in_transition_.try_emplace({graph, property});
  if (is_new) {
    NumberedRules& first = *numbered_.begin()->second;
    entry->second = std::any_of(numbered_.begin(), numbered_.end(), [&](const auto& each) {
      return !has_same_cells(first, *each.second, graph, property, terms);
    });
  }
  return entry->second;
}

bool AssignmentHistory::is_in_transition(const log::Cell& cell, const model::QuadSource& terms) {
  if (numbered_.size() == 1) return false;
  if (cell.kind != log::CellKind::Record) return is_in_transition(cell.graph, cell.property, terms);
  const auto [entry, is_new] = groups_in_transition_.try_emplace(cell.property);
  if (is_new) {
    const std::string group = terms.get_term(cell.property).text();
    NumberedRules& first = *numbered_.begin()->second;
    entry->second = std::any_of(numbered_.begin(), numbered_.end(),
                                [&](const auto& each) { return !has_same_group(first, *each.second, group); });
  }
  return entry->second;
}

const log::AssignmentNumber& AssignmentHistory::cells_since(const log::AssignmentNumber& number, const log::Cell& cell,
                                                            const model::QuadSource& terms) {
  auto since = numbered_.find(number);
  QUADRILLE_CHECK(since != numbered_.end(), "a policy assignment that is not here");
  while (since != numbered_.begin()) {
    const auto before = std::prev(since);
    const bool is_same = cell.kind == log::CellKind::Record
                             ? has_same_group(*before->second, *since->second, terms.get_term(cell.property).text())
                             : has_same_cells(*before->second, *since->second, cell.graph, cell.property, terms);
    if (!is_same) break;
    since = before;
  }
  return since->first;
}

}  // namespace quadrille::reconcile
