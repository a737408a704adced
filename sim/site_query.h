// Queries as a client of a simulated site would ask them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "sim/simulated_site.h"

namespace quadrille::sim {

// A SELECT of two variables, both bound in each row: their texts.
base::Result<std::vector<std::pair<std::string, std::string>>> select_rows(SimulatedSite& site,
                                                                           const std::string& query);
base::Result<bool> ask(SimulatedSite& site, const std::string& query);

}  // namespace quadrille::sim
