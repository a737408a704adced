// Which variables an algebra may bind, surely binds, and mentions.
#pragma once

#include <optional>

#include "engine/plan/plan.h"
#include "engine/plan/variables.h"
#include "engine/sparql/algebra.h"

namespace quadrille::plan {

struct AlgebraVariables {
  VariableSet possible;  // in scope (https://www.w3.org/TR/sparql11-query/#variableScope)
  VariableSet certain;   // bound in every solution
};
AlgebraVariables variables_of(const sparql::Algebra& algebra, Scope& scope);

// The variables that an expression mentions; with those inside its EXISTS patterns, if asked.
VariableSet variables_of(const sparql::Expression& expression, Scope& scope, bool inside_exists = true);

// Every variable that stands anywhere in the pattern, also those of expressions; not those hidden in sub-queries.
VariableSet mentioned_in(const sparql::Algebra& algebra, Scope& scope);

bool has_exists(const sparql::Expression& expression);

// What a planned expression reads of a row; nothing: an EXISTS in it may read anything.
std::optional<VariableSet> variables_read(const PlannedExpression& planned);

// True if evaluating the pattern only for given values of `id` gives the solutions that it has with these values: if a
// join may hand its rows into the pattern instead of joining with all of its solutions.
bool can_be_seeded(const sparql::Algebra& algebra, VariableId id, Scope& scope);

}  // namespace quadrille::plan
