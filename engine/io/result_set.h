// The answer to a SELECT or an ASK as text.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/model/term.h"

namespace quadrille::io {

// One solution: a value for each variable of the head, in its order; nothing where it is unbound.
using ResultRow = std::vector<std::optional<model::Term>>;
using ResultRowView = std::span<const std::optional<model::Term>>;

// Whole, in memory: for small answers, tests and the command line. Engines stream instead (result_writer.h).
struct ResultSet {
  std::vector<std::string> variables;  // without '?'
  std::vector<ResultRow> rows;         // each as long as `variables`
  std::optional<bool> boolean;         // of an ASK; then there are no variables and no rows
};

}  // namespace quadrille::io
