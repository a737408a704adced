// Expressions of one variable, computed once for each of its values instead of once a row.
#pragma once

#include <cstddef>

#include "engine/exec/expression.h"
#include "engine/sparql/expression.h"

namespace quadrille::exec {

// True if `expression` reads one variable only, always gives the same for the same value, and is dear enough (strings,
// casts) that remembering its results may pay.
bool is_worth_remembering(const sparql::Expression& expression);

// `node` computes such an expression, whose variable stands in `column`. Remembers results until there are too many,
// the run has no memory left for them, or one comes that is forgotten with its batch.
ExpressionPointer remember_results(ExpressionPointer node, size_t column, RunState& run);

}  // namespace quadrille::exec
