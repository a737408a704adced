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

}  // namespace quadrille::model
