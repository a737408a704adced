// What work costs, in the measure of Tuning::cost_of_lookup: one is about ten nanoseconds.
#pragma once

#include "engine/plan/plan.h"
#include "engine/plan/tuning.h"

namespace quadrille::plan {

inline constexpr double cost_of_scanning = 0.5;  // a row
inline constexpr double cost_of_output = 1;
inline constexpr double cost_of_building = 2;  // a row into a hash table
inline constexpr double cost_of_probing = 1;
inline constexpr double cost_of_walking = 50;  // a node of a path

// About what the plan costs, by the rows that it is estimated to have. Expressions and sorting count as a row does.
double cost_of(const Plan& plan, const Tuning& tuning);

}  // namespace quadrille::plan
