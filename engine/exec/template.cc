#include "engine/exec/template.h"

#include <set>

#include "engine/exec/column_map.h"

namespace quadrille::exec {

using model::Quad;
using model::TermId;
using model::TermTag;
using sparql::PatternTerm;
using sparql::Variable;

std::vector<Variable> variables_of(const std::vector<sparql::QuadTemplate>& templates) {
  std::set<Variable> found;
  const auto add = [&](const PatternTerm& term) {
    const auto* variable = std::get_if<Variable>(&term);
    if (variable != nullptr && !variable->is_hidden()) found.insert(*variable);
  };
  for (const auto& one : templates) {
    add(one.triple.subject);
    add(one.triple.predicate);
    add(one.triple.object);
    if (one.graph) add(*one.graph);
  }
  return {found.begin(), found.end()};
}

TemplateFiller::TemplateFiller(const std::vector<sparql::QuadTemplate>& templates, TermId default_graph,
                               const Prepared& prepared)
    : run_(*prepared.run) {
  for (const auto& one : templates) {
    Filled& filled = templates_.emplace_back();
    filled.subject = place_of(one.triple.subject, prepared);
    filled.predicate = place_of(one.triple.predicate, prepared);
    filled.object = place_of(one.triple.object, prepared);
    if (one.graph) {
      filled.graph = place_of(*one.graph, prepared);
    } else {
      filled.graph.constant = default_graph;
    }
  }
}

TemplateFiller::Place TemplateFiller::place_of(const PatternTerm& term, const Prepared& prepared) {
  Place place;
  if (const auto* variable = std::get_if<Variable>(&term)) {
    if (variable->is_hidden()) {
      place.blank = blanks_.try_emplace(variable->name, blanks_.size()).first->second;
    } else {
      place.column = prepared.column_of_name(variable->name);
    }
  } else {
    place.constant = run_.terms.id_of(std::get<model::Term>(term));
  }
  return place;
}

TermId TemplateFiller::value(const Place& place, const Batch& batch, size_t row) {
  if (place.blank != SIZE_MAX) {
    TermId& node = fresh_[place.blank];
    if (!node.is_bound()) node = run_.terms.id_of(run_.blank_nodes.fresh());
    return node;
  }
  return place.column == no_column ? place.constant : batch.at(row, place.column);
}

bool TemplateFiller::is_resource(TermId id, bool blank_allowed) const {
  if (id.tag() == TermTag::Iri || id == TermId::default_graph()) return true;
  if (id.tag() == TermTag::BlankNode) return blank_allowed;
  if (!id.is_transient()) return false;
  const model::Term term = run_.terms.term(id);
  return term.is_iri() || (term.is_blank_node() && blank_allowed);
}

void TemplateFiller::fill(const Batch& batch, size_t row, std::vector<Quad>& quads) {
  fresh_.assign(blanks_.size(), TermId());
  for (const Filled& one : templates_) {
    const Quad quad{value(one.subject, batch, row), value(one.predicate, batch, row), value(one.object, batch, row),
                    value(one.graph, batch, row)};
    const bool is_quad = is_resource(quad.subject, true) && is_resource(quad.predicate, false) &&
                         quad.object.is_bound() && is_resource(quad.graph, true);
    if (is_quad) quads.push_back(quad);
  }
}

}  // namespace quadrille::exec
