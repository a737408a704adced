// From the laws that were broken to the most probable causes, each with its smallest history. Part of policy_check.h.
#pragma once

#include <vector>

#include "policies/check/experiments.h"
#include "policies/check/search.h"

namespace quadrille::policies::check {

class Diagnosis {
 public:
  Diagnosis(const CheckedPolicy& checked, const HistoryGenerator& generator, const ValuePool& pool,
            const Elsewhere* elsewhere)
      : checked_(checked), generator_(generator), pool_(pool), elsewhere_(elsewhere) {}

  std::vector<Finding> explain(const SearchResult& result) const;

 private:
  // Of a policy that does not give the same answer twice.
  Finding explain_impurity(const BrokenCase& found) const;
  // Of a law that one history shows by itself.
  Finding explain_law(const BrokenCase& found) const;
  Finding explain_failure(const BrokenCase& found, const Coverage& coverage) const;
  void tell(Finding& finding, const History& history, const Broken& broken) const;

  const CheckedPolicy& checked_;
  const HistoryGenerator& generator_;
  const ValuePool& pool_;
  const Elsewhere* elsewhere_;
};

}  // namespace quadrille::policies::check
