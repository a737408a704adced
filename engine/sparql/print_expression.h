// The two halves of print.h call each other here: expressions hold patterns (EXISTS), patterns hold expressions.
#pragma once

#include <cstddef>
#include <string>

#include "engine/sparql/algebra.h"

namespace quadrille::sparql {

// `indent`: of the line that the expression stands on.
void print_expression(const Expression& expression, size_t indent, std::string& out);
void print_pattern(const Algebra& pattern, size_t indent, std::string& out);

}  // namespace quadrille::sparql
