// How many rows a pattern gives: exact counts of index ranges for its constants, and fan-outs measured on a few rows
// for its variables that other patterns bind.
#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "engine/model/quad_source.h"
#include "engine/plan/plan.h"

namespace quadrille::plan {

class Estimator {
 public:
  explicit Estimator(const model::QuadSource& source) : source_(source) {}

  // Rows of the pattern by its constants alone.
  double rows(const PatternAccess& access);
  // Rows that the pattern gives for one row in which `bound` are known.
  double rows_for_one(const PatternAccess& access, const VariableSet& bound);

 private:
  struct FanOut {
    double objects_of_subject = 1;
    double subjects_of_object = 1;
  };
  const FanOut& fan_out_of(model::TermId predicate);
  // Asked again and again while an order is searched for, so each answer is kept.
  double count(model::QuadOrder order, std::span<const model::TermId> prefix);

  const model::QuadSource& source_;
  std::map<model::TermId, FanOut> fan_outs_;
  std::map<std::pair<model::QuadOrder, std::vector<model::TermId>>, double> counts_;
};

}  // namespace quadrille::plan
