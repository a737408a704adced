// A target for loads: what it is given many at a time goes much faster than one by one.
#pragma once

#include <span>
#include <vector>

#include "engine/model/quad_source.h"

namespace quadrille::model {

class BulkTarget : public QuadTarget {
 public:
  // As intern() for each, in their order.
  virtual std::vector<TermId> intern_all(std::span<const Term> terms) = 0;
};

// At once where the target can, and it pays; else one by one.
inline std::vector<TermId> intern_all(QuadTarget& target, std::span<const Term> terms) {
  constexpr size_t few = 16;
  auto* bulk = terms.size() > few ? dynamic_cast<BulkTarget*>(&target) : nullptr;
  if (bulk != nullptr) return bulk->intern_all(terms);
  std::vector<TermId> ids;
  ids.reserve(terms.size());
  for (const Term& term : terms) ids.push_back(target.intern(term));
  return ids;
}

}  // namespace quadrille::model
