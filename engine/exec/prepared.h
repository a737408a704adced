// A query on its way: parsed, planned, its operators made. What SELECT, ASK, CONSTRUCT, DESCRIBE and updates share.
#pragma once

#include <memory>
#include <vector>

#include "engine/base/result.h"
#include "engine/exec/context.h"
#include "engine/exec/operators.h"
#include "engine/plan/planner.h"

namespace quadrille::exec {

struct Prepared {
  std::unique_ptr<plan::PlannedQuery> plan;
  std::unique_ptr<RunState> run;
  OperatorPointer root;

  // The column of a variable in the rows of the root, or no_column.
  size_t column_of_name(const std::string& name) const;
};

// `pattern` must outlive what is prepared. Throws as operators do.
base::Result<Prepared> prepare(const sparql::Algebra& pattern, const std::vector<sparql::Variable>& wanted,
                               const plan::Dataset& dataset, const model::QuadSource& source, const RunLimits& limits);

// Runs `work`, which returns a Result, and turns what operators and the storage throw into its error.
template <class Work>
auto guarded(Work&& work) -> decltype(work()) {
  try {
    return base::catch_storage_error(work);
  } catch (RunStopped& stopped) {
    return std::move(stopped.error);
  }
}

}  // namespace quadrille::exec
