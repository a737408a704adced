// One policy assignment in ids of one store: which cell a quad belongs to, and who decides it.
#pragma once

#include <unordered_map>

#include "engine/model/quad_source.h"
#include "reconcile/assignment.h"

namespace quadrille::reconcile {

// Remembers what it found. Not thread-safe.
class CellRules {
 public:
  // Both outlive it. Its groups of properties must have ids in the store (intern_groups).
  CellRules(const Assignment& assignment, const PolicyRegistry& policies);

  // `terms` gives the text of the ids.
  const CellRule& rule_of(model::TermId graph, model::TermId property, const model::QuadSource& terms);
  log::Cell cell_of(const model::Quad& quad, const model::QuadSource& terms);
  // Null: there is no such cell.
  const CellRule* find_rule_of(const log::Cell& cell, const model::QuadSource& terms);
  // Whether a quad of that property, with the cell's graph and subject, is of the cell (a quad cell: with its object).
  bool is_of(const log::Cell& cell, model::TermId property, const model::QuadSource& terms);

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
  struct PlacedRule {
    CellRule rule;
    model::TermId group;  // Record
  };
  const PlacedRule& placed_rule_of(model::TermId graph, model::TermId property, const model::QuadSource& terms);

  const Assignment& assignment_;
  const PolicyRegistry& policies_;
  CellRule default_rule_;
  std::unordered_map<Place, PlacedRule, HashPlace> rules_;
  std::unordered_map<model::TermId, std::optional<CellRule>> groups_;
};

// Gives ids to what names the assignment's groups of properties: part of a record cell's name.
void intern_groups(const Assignment& assignment, model::QuadTarget& terms);

}  // namespace quadrille::reconcile
