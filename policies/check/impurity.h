// Why a policy does not give the same answer twice: what experiments and the file's imports say. Part of diagnosis.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "policies/check/experiments.h"
#include "policies/check/imported_symbols.h"

namespace quadrille::policies::check {

struct Impurity {
  using Experiment = Differences (Experiments::*)(std::span<const ConflictList>) const;
  std::string cause;
  std::string explanation;
  std::vector<std::string> evidence;
  Experiment experiment = nullptr;  // that showed it
  std::string one;                  // under which circumstances the first answer was given
  std::string other;
  size_t list = 0;  // that shows it, the shortest
  Difference difference;
};

// Runs the experiments in the order in which each rules out what the later ones cannot tell apart. Nothing: none of
// them showed a difference.
std::optional<Impurity> find_impurity(const Experiments& experiments, std::span<const ConflictList> lists,
                                      const Imports& imports);

}  // namespace quadrille::policies::check
