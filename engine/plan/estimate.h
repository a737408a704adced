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

// What the source says of one pattern.
struct PatternEstimate {
  double rows = 0;                // by its constants alone
  double rows_of_predicate = 0;   // with its predicate; 0 where the predicate is no constant
  double objects_of_subject = 1;  // of its predicate, for a subject that has it
  double subjects_of_object = 1;
};

// How many values a pattern, or the rows so far, have for a place; 0: nobody knows.
struct PlaceValues {
  double subjects = 0;
  double objects = 0;
};
PlaceValues values_of(const PatternAccess& access, const PatternEstimate& estimate);

// Rows that the pattern gives for one row in which `bound` are known. `values`: that rows have for these. Of two places
// the one that has fewer values is taken to have none that the other lacks (containment, as in Swami and Schiefer, On
// the estimation of join result sizes, EDBT 1994).
double rows_for_one(const PatternAccess& access, const PatternEstimate& estimate, const VariableSet& bound,
                    const PlaceValues& values = {});

class Estimator {
 public:
  explicit Estimator(const model::QuadSource& source) : source_(source) {}

  PatternEstimate estimate(const PatternAccess& access);

 private:
  struct FanOut {
    double objects_of_subject = 1;
    double subjects_of_object = 1;
  };
  double rows(const PatternAccess& access);
  const FanOut& fan_out_of(model::TermId predicate);
  // Several patterns of a query ask the same, so each answer is kept.
  double count(model::QuadOrder order, std::span<const model::TermId> prefix);

  const model::QuadSource& source_;
  std::map<model::TermId, FanOut> fan_outs_;
  std::map<std::pair<model::QuadOrder, std::vector<model::TermId>>, double> counts_;
};

}  // namespace quadrille::plan
