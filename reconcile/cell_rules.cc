#include "reconcile/cell_rules.h"

namespace quadrille::reconcile {
namespace {

// Real data has few properties and graphs; data that has not must not fill the memory.
constexpr size_t remembered_max = 100'000;

std::string graph_text(model::TermId graph, const model::QuadSource& terms) {
  if (graph == model::TermId::default_graph()) return {};
  const model::Term term = terms.get_term(graph);
  return term.is_blank_node() ? "_:" + term.text() : term.text();
}

}  // namespace

CellRules::CellRules(const Assignment& assignment, const PolicyRegistry& policies)
    : assignment_(assignment),
      policies_(policies),
      default_rule_(log::CellKind::Quad, policies.find_named(assignment.default_policy), policies) {}

const CellRule& CellRules::rule_of(model::TermId graph, model::TermId property, const model::QuadSource& terms) {
  if (assignment_.rules.empty()) return default_rule_;
  return placed_rule_of(graph, property, terms).rule;
}

const CellRules::PlacedRule& CellRules::placed_rule_of(model::TermId graph, model::TermId property,
                                                       const model::QuadSource& terms) {
  if (const auto known = rules_.find({graph, property}); known != rules_.end()) return known->second;
  if (rules_.size() >= remembered_max) rules_.clear();
  CellRule rule = find_rule(assignment_, policies_, graph_text(graph, terms), terms.get_term(property).text());
  model::TermId group;
  if (rule.kind == log::CellKind::Record) {
    const auto id = terms.find_term(*rule.group);
    QUADRILLE_CHECK(id, "a group of properties has no id in the store");
    group = *id;
  }
  return rules_.emplace(Place{graph, property}, PlacedRule{std::move(rule), group}).first->second;
}

log::Cell CellRules::cell_of(const model::Quad& quad, const model::QuadSource& terms) {
  if (assignment_.rules.empty()) return log::quad_cell(quad);
  const PlacedRule& placed = placed_rule_of(quad.graph, quad.predicate, terms);
  switch (placed.rule.kind) {
    case log::CellKind::Quad: break;
    case log::CellKind::Value: return {log::CellKind::Value, quad.graph, quad.subject, quad.predicate, {}};
    case log::CellKind::Record: return {log::CellKind::Record, quad.graph, quad.subject, placed.group, {}};
  }
  return log::quad_cell(quad);
}

const CellRule* CellRules::find_rule_of(const log::Cell& cell, const model::QuadSource& terms) {
  if (cell.kind != log::CellKind::Record) {
    const CellRule& rule = rule_of(cell.graph, cell.property, terms);
    return rule.kind == cell.kind ? &rule : nullptr;
  }
  const auto [entry, is_new] = groups_.try_emplace(cell.property);
  if (is_new) {
    const std::string group = terms.get_term(cell.property).text();
    for (const AssignmentRule& rule : assignment_.rules) {
      if (rule.cells != log::CellKind::Record || rule.group != group) continue;
      entry->second.emplace(rule.cells, policies_.find_named(rule.policy), policies_);
      entry->second->group = model::Term::iri(group);
    }
  }
  return entry->second ? &*entry->second : nullptr;
}

bool CellRules::is_of(const log::Cell& cell, model::TermId property, const model::QuadSource& terms) {
  if (cell.kind != log::CellKind::Record) return property == cell.property;
  const PlacedRule& placed = placed_rule_of(cell.graph, property, terms);
  return placed.rule.kind == log::CellKind::Record && placed.group == cell.property;
}

void intern_groups(const Assignment& assignment, model::QuadTarget& terms) {
  for (const AssignmentRule& rule : assignment.rules) {
    if (rule.cells == log::CellKind::Record) terms.intern(model::Term::iri(rule.group));
  }
}

}  // namespace quadrille::reconcile
