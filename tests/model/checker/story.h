// What was found, as a story that a person can follow.
#pragma once

#include <string>

#include "tests/model/checker/explorer.h"

namespace quadrille::model_check {

// A line a step, and under it what the site then shows and what is still in its window.
std::string tell(const System& system, const Violation& violation);

}  // namespace quadrille::model_check
