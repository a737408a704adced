// The functions of SPARQL by name, and how many arguments each takes. Section 17.4, grammar rule 121.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/sparql/expression.h"

namespace quadrille::sparql {

inline constexpr uint8_t any_number = 255;

struct FunctionSignature {
  std::string_view name;  // in upper case
  Function function;
  uint8_t arguments_min;
  uint8_t arguments_max;
};

// Case does not matter. Null: there is none of that name.
const FunctionSignature* find_function(std::string_view word) noexcept;
std::optional<AggregateKind> find_aggregate(std::string_view word) noexcept;

// The name as a query writes it, or the sign of an operator.
std::string_view name_of(Function function) noexcept;
std::string_view name_of(AggregateKind aggregate) noexcept;

}  // namespace quadrille::sparql
