// Makes joined rows of pairs of rows that have equal keys: the second half of hash joins and lateral joins.
// Variables outside the keys that both sides have must be compatible (equal, or unbound on one side), then the join's
// conditions must hold; a left row that keeps no pair stays alone in an outer join. SPARQL 1.1 Query, section 18.4.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/exec/batch.h"
#include "engine/exec/expression.h"
#include "engine/exec/run_state.h"
#include "engine/plan/plan.h"

namespace quadrille::exec {

using RowPair = std::pair<uint32_t, uint32_t>;  // left, right

class RowPairs {
 public:
  RowPairs(const plan::Plan& join, const std::vector<plan::VariableId>& left,
           const std::vector<plan::VariableId>& right, RunState& run);

  // Puts into `out` the joined rows of `pairs`, which hold all that is to be known of the left rows `begin` to `end`.
  void join(const Batch& left, const Batch& right, const std::vector<RowPair>& pairs, size_t begin, size_t end,
            Batch& out);

 private:
  bool compatible(const Batch& left, const Batch& right, const RowPair& pair) const;
  void append(const Batch& left, const Batch& right, const std::vector<RowPair>& pairs, Batch& out) const;

  const plan::Plan& plan_;
  size_t left_count_;
  std::vector<std::pair<size_t, size_t>> shared_;  // left and right columns of one variable outside the keys
  std::vector<std::pair<size_t, size_t>> added_;   // columns of the right side, and where they go
  Conditions conditions_;
  std::vector<RowPair> kept_;
  std::vector<uint32_t> selected_;
  std::vector<bool> matched_;
};

}  // namespace quadrille::exec
