// Which variables a pattern binds, and which an expression reads. Section 18.2.1.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "engine/sparql/algebra.h"

namespace quadrille::sparql {

// The variables in scope of the pattern, hidden ones left out, each once, in the order of writing: what SELECT * gives.
std::vector<Variable> visible_variables(const Algebra& pattern);
bool is_visible(const Algebra& pattern, const Variable& variable);

// Calls `visit` for each variable that the expression reads, those inside of EXISTS left out.
void for_each_variable(const Expression& expression, const std::function<void(const Variable&)>& visit);
// The same, with variables that may be changed.
void for_each_variable(Expression& expression, const std::function<void(Variable&)>& visit);

}  // namespace quadrille::sparql
