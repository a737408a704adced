// Which index order serves a pattern best.
#pragma once

#include "engine/plan/plan.h"

namespace quadrille::plan {

// Sets order, prefix_length and key_length of `access` for rows in which the variables of `bound` are known: the order
// whose leading bound columns are most, and among those the one with most leading constants.
void choose_order(PatternAccess& access, const VariableSet& bound);

// True where column `column` of the pattern holds a constant or, for Column::Graph, the one graph.
bool is_constant(const PatternAccess& access, model::Column column);
// The variable of a column, or no_variable.
VariableId variable_of(const PatternAccess& access, model::Column column);

}  // namespace quadrille::plan
