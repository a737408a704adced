// A scenario made of nothing but a seed: topology, clocks, policies, workload and faults. What `quadrille-sim fuzz`
// runs.
#pragma once

#include <cstdint>
#include <set>

#include "sim/scenario.h"

namespace quadrille::sim {

// At least 20 faults that do happen and 200 transactions; all faults stand in the timeline. Faults of the kinds
// `without` are left out, all else stays as it is.
Scenario random_scenario(uint64_t seed, const std::set<FaultKind>& without = {});

}  // namespace quadrille::sim
