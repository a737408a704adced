// The datatypes whose values are understood.
#pragma once

#include <optional>
#include <string_view>

#include "engine/model/decimal.h"
#include "engine/model/value.h"

namespace quadrille::model {

// A datatype's kind and, for the types derived from xsd:integer, its bounds (XSD 1.1 Part 2, section 3.4).
struct Datatype {
  std::string_view name;  // without the namespace of XSD
  ValueKind kind;
  std::optional<Decimal> least;
  std::optional<Decimal> greatest;
};

// Null for a datatype that is not known. The object lives as long as the program.
const Datatype* find_datatype(std::string_view iri);

}  // namespace quadrille::model
