#include "reconcile/cell_rules.h"

namespace quadrille::reconcile {
namespace {

// Real data has few properties and graphs; data that has not must not fill the memory.
constexpr size_t remembered_max = 100'000;

}  // namespace

CellRules::CellRules(const Assignment& assignment, const PolicyRegistry& policies)
    : assignment_(assignment),
      policies_(policies),
      default_rule_{log::CellKind::Quad, std::nullopt, policies.find_named(assignment.default_policy)} {}

const CellRule* CellRules::find_known(model::TermId graph, model::TermId property) const {
  if (assignment_.rules.empty()) return &default_rule_;
  const auto known = rules_.find({graph, property});
  return known == rules_.end() ? nullptr : &known->second;
}

const CellRule& CellRules::rule_of(model::TermId graph, model::TermId property, const model::QuadSource& terms) {
  if (const CellRule* known = find_known(graph, property)) return *known;
  if (rules_.size() >= remembered_max) rules_.clear();
  std::string graph_text;
  if (graph != model::TermId::default_graph()) {
    const model::Term term = terms.get_term(graph);
    graph_text = term.is_blank_node() ? "_:" + term.text() : term.text();
  }
  CellRule rule = find_rule(assignment_, policies_, graph_text, terms.get_term(property).text());
  return rules_.emplace(Place{graph, property}, std::move(rule)).first->second;
}

log::Cell CellRules::cell_of(const model::Quad& quad, const model::QuadSource& terms) {
  log::Cell cell{rule_of(quad.graph, quad.predicate, terms).kind, quad.graph, quad.subject, quad.predicate, {}};
  if (cell.kind == log::CellKind::Quad) cell.object = quad.object;
  return cell;
}

}  // namespace quadrille::reconcile
