// Makes histories from a seed: chains, criss-cross merges, repeats, deletions, updates that change nothing, clocks that
// differ, folding, joins and evictions, all kinds of values. At least half hold a real conflict.
#pragma once

#include <string>
#include <vector>

#include "policies/check/history.h"
#include "reconcile/policy.h"

namespace quadrille::policies::check {

class HistoryGenerator {
 public:
  // Histories of the kinds of cells that the policy decides. `argument`: what the policy is given.
  HistoryGenerator(const reconcile::Policy& policy, const ValuePool& pool, std::string property, std::string argument,
                   uint64_t seed);
  // The same for the same seed and number, whatever was asked before.
  History make(uint64_t number) const;

 private:
  const ValuePool& pool_;
  std::string property_;
  std::string argument_;
  uint64_t seed_;
  bool several_values_;
  bool lets_leave_;
  std::vector<log::CellKind> kinds_;
};

}  // namespace quadrille::policies::check
