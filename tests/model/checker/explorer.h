// Tries everything that may happen, breadth first, so that the first thing found wrong has a shortest story.
//
// States are told apart by 64 bits of a hash of their encoding: of n states, two are taken for one with a chance of
// n^2 / 2^65, which is below one in 10,000 for sixty million.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/model/checker/system.h"

namespace quadrille::model_check {

struct Violation {
  std::string what;
  std::vector<Action> story;    // from the first state on
  bool is_after_quiet = false;  // it shows once everything is delivered, heard and folded
};

struct Coverage {
  uint64_t states = 0;
  uint64_t transitions = 0;
  uint64_t ends = 0;           // states in which nothing more can happen
  uint64_t histories = 0;      // pairs of what was written and what one site holds of it, each compared once
  uint64_t longest_story = 0;  // steps
  bool is_complete = true;     // false: it stopped at the limit of states
};

struct Finding {
  Coverage coverage;
  std::optional<Violation> violation;
};

Finding explore(const System& system, uint64_t states_max = UINT64_MAX);

}  // namespace quadrille::model_check
