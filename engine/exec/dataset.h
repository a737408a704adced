// From graph names to what the planner needs: which graphs patterns see.
#pragma once

#include "engine/exec/context.h"
#include "engine/model/quad_source.h"
#include "engine/plan/dataset.h"
#include "engine/sparql/algebra.h"

namespace quadrille::exec {

// `in_text`: FROM / USING of the query itself; `with`: the default graph of an update's WITH, where there is no USING.
plan::Dataset resolve_dataset(const DatasetRules& rules, const sparql::Dataset& in_text, const model::Term* with,
                              const model::QuadSource& source);

}  // namespace quadrille::exec
