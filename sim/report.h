// What a person, and a program, is told of the seeds that were run.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/simulation.h"

namespace quadrille::sim {

nlohmann::json as_json(const SeedResult& result);
SeedResult seed_result_from_json(const nlohmann::json& json);

// A table of at most some twenty rows, each of one seed or of several neighbours, and one of all.
std::string table(const std::vector<SeedResult>& results, double real_s);
// What was violated, how it came to that in at most so many lines, and how to see it again.
std::string story(const SeedResult& result, const std::string& replay_command, size_t lines);

}  // namespace quadrille::sim
