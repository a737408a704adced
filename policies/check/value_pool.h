// The values that generated histories write: some of each kind that RDF knows, the plain ones first.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/model/term.h"

namespace quadrille::policies::check {

enum class ValueFamily : uint8_t {
  Integer,
  BigInteger,
  Decimal,
  Double,
  Boolean,
  Moment,  // dates and times, with time zones and without
  String,
  LanguageString,
  Iri,
  BlankNode,
  UnknownDatatype,
  IllFormed,
};
inline constexpr size_t value_families = 12;

std::string_view name_of(ValueFamily family);  // "language strings"

// A value is its family and its place there; what stands earlier is simpler to read.
struct PoolValue {
  ValueFamily family = ValueFamily::Integer;
  uint8_t place = 0;

  friend auto operator<=>(const PoolValue&, const PoolValue&) = default;
};

class ValuePool {
 public:
  ValuePool();
  const model::Term& at(PoolValue value) const;
  uint8_t size_of(ValueFamily family) const;

 private:
  std::array<std::vector<model::Term>, value_families> terms_;
};

// The family that a term belongs to, also one that the pool does not have.
ValueFamily family_of(const model::Term& term);

}  // namespace quadrille::policies::check
