// The report of one run as a page: one file that needs no network, no script and no other file. It can be printed, and
// gone through by keyboard.
#pragma once

#include <string>

#include "sim/simulation.h"

namespace quadrille::sim {

// `title`: of the scenario. Requires that `result` has a record.
std::string html_report(const std::string& title, const SeedResult& result, const std::string& replay_command);

}  // namespace quadrille::sim
