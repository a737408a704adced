// Where variables stand among the columns of an operator.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/plan/variables.h"

namespace quadrille::exec {

inline constexpr size_t no_column = SIZE_MAX;

inline size_t column_of(const std::vector<plan::VariableId>& columns, plan::VariableId variable) {
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] == variable) return i;
  }
  return no_column;
}

}  // namespace quadrille::exec
