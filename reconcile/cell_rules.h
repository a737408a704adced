// The policy assignment in ids of one store: which cell a quad belongs to, and who decides it.
#pragma once

#include <unordered_map>

#include "engine/model/quad_source.h"
#include "reconcile/assignment.h"

namespace quadrille::reconcile {

// Remembers what it found. Not thread-safe.
class CellRules {
 public:
  CellRules(const Assignment& assignment, const PolicyRegistry& policies);

  // What is known without a look at the text; null: nothing. Several threads at once may ask, while nobody asks for
  // more.
  const CellRule* find_known(model::TermId graph, model::TermId property) const;
  // `terms` gives the text of the ids.
  const CellRule& rule_of(model::TermId graph, model::TermId property, const model::QuadSource& terms);
  log::Cell cell_of(const model::Quad& quad, const model::QuadSource& terms);
  const CellRule& rule_of(const log::Cell& cell, const model::QuadSource& terms) {
    return rule_of(cell.graph, cell.property, terms);
  }

 private:
  struct Place {
    model::TermId graph;
    model::TermId property;
    friend bool operator==(const Place&, const Place&) = default;
  };
  struct HashPlace {
    size_t operator()(const Place& place) const noexcept {
      const std::hash<model::TermId> hash_id;
      return hash_id(place.graph) * 31 + hash_id(place.property);
    }
  };
  const Assignment& assignment_;
  const PolicyRegistry& policies_;
  CellRule default_rule_;
  std::unordered_map<Place, CellRule, HashPlace> rules_;
};

}  // namespace quadrille::reconcile
