// The shape of a query: its algebra without the constants that do not decide how it is planned (plan_memory.h).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/plan/dataset.h"
#include "engine/sparql/algebra.h"

namespace quadrille::plan {

// How many rows the constants of a pattern select, about.
using CountRows = std::function<double(const sparql::TriplePattern&)>;

// Bytes of no meaning but that of equality. The pattern must not be nested too deeply for recursion.
std::string shape_of(const sparql::Algebra& pattern, const std::vector<sparql::Variable>& wanted,
                     const Dataset& dataset, const CountRows& count_rows);

}  // namespace quadrille::plan
