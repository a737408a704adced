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

  // What each group takes, which is for the caller to account for. What a group keeps beside it (texts, the values
  // that were seen) the aggregator accounts for.
  virtual size_t bytes_per_group() const noexcept = 0;
  // Gives back what the group keeps beside; it gets no more rows.
  virtual void release(uint32_t group) = 0;
  // Forgets the groups from `count` on, which must be released.
  virtual void truncate(size_t count) = 0;
};

// `columns`: those of the rows that are grouped. `memory` must outlive the aggregator.
std::unique_ptr<Aggregator> make_aggregator(const plan::PlannedAggregate& planned,
                                            const std::vector<plan::VariableId>& columns, RunState& run,
                                            MemoryUse& memory);

// The columns that it looks at.
std::vector<size_t> columns_of_aggregate(const plan::PlannedAggregate& planned,
                                         const std::vector<plan::VariableId>& columns, const RunState& run);

}  // namespace quadrille::exec
