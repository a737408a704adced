// What GROUP BY computes for each group. https://www.w3.org/TR/sparql11-query/#aggregateAlgebra
#pragma once

#include <memory>
#include <vector>

#include "engine/exec/batch.h"
#include "engine/exec/run_state.h"
#include "engine/plan/plan.h"

namespace quadrille::exec {

class Aggregator {
 public:
  virtual ~Aggregator() = default;
  // Row i of `batch` belongs to group `groups[i]`; groups are numbered from 0 and fewer than `group_count`.
  virtual void add(const Batch& batch, const std::vector<uint32_t>& groups, size_t group_count) = 0;
  // A lasting id, or unbound for an error.
  virtual TermId result(uint32_t group) = 0;
};

// `columns`: those of the rows that are grouped.
std::unique_ptr<Aggregator> make_aggregator(const plan::PlannedAggregate& planned,
                                            const std::vector<plan::VariableId>& columns,
                                            const plan::VariableTable& names, RunState& run);

}  // namespace quadrille::exec
