#include "reconcile/assignment_history.h"

#include <algorithm>
#include <tuple>

namespace quadrille::reconcile {
namespace {

using CellsOfRule = std::tuple<std::string, std::string, log::CellKind, std::string>;

// What of an assignment says which cells there are.
std::vector<CellsOfRule> cells_of(const Assignment& assignment) {
  std::vector<CellsOfRule> cells;
  for (const AssignmentRule& rule : assignment.rules) {
    cells.emplace_back(rule.graph.text, rule.property.text, rule.cells, rule.group);
  }
  std::sort(cells.begin(), cells.end());
  return cells;
}

}  // namespace

NumberedRules::NumberedRules(log::AssignmentNumber its_number, uint64_t its_seq, Assignment its,
                             const PolicyRegistry& policies)
    : number(std::move(its_number)), seq(its_seq), assignment(std::move(its)), rules(assignment, policies) {}

void AssignmentHistory::add(log::AssignmentNumber number, uint64_t seq, Assignment assignment) {
  auto numbered = std::make_unique<NumberedRules>(number, seq, std::move(assignment), policies_);
  numbered_.insert_or_assign(std::move(number), std::move(numbered));
  ++changes_;
  in_transition_.clear();
}

void AssignmentHistory::remove_before(const log::AssignmentNumber& number) {
  numbered_.erase(numbered_.begin(), numbered_.lower_bound(number));
  QUADRILLE_CHECK(!numbered_.empty(), "no policy assignment is left");
  in_transition_.clear();
}

void AssignmentHistory::clear() {
  numbered_.clear();
  in_transition_.clear();
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

std::vector<NumberedRules*> AssignmentHistory::all() {
  std::vector<NumberedRules*> all;
  for (const auto& [number, rules] : numbered_) all.push_back(rules.get());
  return all;
}

bool AssignmentHistory::has_same_cells(NumberedRules& left, NumberedRules& right, model::TermId graph,
                                       model::TermId property, const model::QuadSource& terms) {
  const CellRule& one = left.rules.rule_of(graph, property, terms);
  const CellRule& other = right.rules.rule_of(graph, property, terms);
  if (one.kind != other.kind) return false;
  if (one.kind != log::CellKind::Record) return true;
  return one.group == other.group && cells_of(left.assignment) == cells_of(right.assignment);
}

bool AssignmentHistory::is_in_transition(model::TermId graph, model::TermId property, const model::QuadSource& terms) {
  if (numbered_.size() == 1) return false;
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
  const auto cells = cells_of(numbered_.begin()->second->assignment);
  return std::any_of(numbered_.begin(), numbered_.end(),
                     [&](const auto& each) { return cells_of(each.second->assignment) != cells; });
}

const log::AssignmentNumber& AssignmentHistory::cells_since(const log::AssignmentNumber& number, const log::Cell& cell,
                                                            const model::QuadSource& terms) {
  auto since = numbered_.find(number);
  QUADRILLE_CHECK(since != numbered_.end(), "a policy assignment that is not here");
  while (since != numbered_.begin()) {
    const auto before = std::prev(since);
    const bool is_same = cell.kind == log::CellKind::Record
                             ? cells_of(before->second->assignment) == cells_of(since->second->assignment)
                             : has_same_cells(*before->second, *since->second, cell.graph, cell.property, terms);
    if (!is_same) break;
    since = before;
  }
  return since->first;
}

}  // namespace quadrille::reconcile
