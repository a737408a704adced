// What a check found.
#pragma once

#include <string>
#include <vector>

namespace quadrille::checks {

struct Violation {
  std::string check;  // its name, as the report shows it: "convergence"
  std::string story;  // lines: what was expected, what is there instead, and how it came to that
};

using Violations = std::vector<Violation>;

}  // namespace quadrille::checks
