// From the algebra to a physical plan.
//
// Join order: by cost (join_order.h), from exact counts of index ranges and sampled fan-outs (estimate.h); a filter
// runs as soon as its variables are bound. An OPTIONAL, a UNION or a nested group that shares variables with what is
// before it may be seeded: its plan starts from the distinct join keys of the rows before it (PlanKind::Lateral), where
// that is certain to give the same solutions (can_be_seeded).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/model/quad_source.h"
#include "engine/plan/dataset.h"
#include "engine/plan/plan.h"
#include "engine/plan/plan_memory.h"
#include "engine/plan/tuning.h"
#include "engine/sparql/algebra.h"

namespace quadrille::plan {

// `wanted`: variables that are read from the solutions, besides those that the pattern itself projects.
// The algebra must outlive the plan. Reads `source` for counts and ids; may throw base::StorageError. `memory`, if
// given, remembers for the store of `source` how queries of a shape were planned, and is asked first.
base::Result<std::unique_ptr<PlannedQuery>> make_plan(const sparql::Algebra& pattern,
                                                      const std::vector<sparql::Variable>& wanted,
                                                      const Dataset& dataset, const model::QuadSource& source,
                                                      PlanMemory* memory = nullptr, const Tuning& tuning = {});

// The plan as a tree of text. `more`, if given, says what else stands at the end of a node's line.
std::string to_text(const PlannedQuery& query, const model::QuadSource& source,
                    const std::function<std::string(const Plan&)>& more = {});

}  // namespace quadrille::plan
