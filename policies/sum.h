// sum: concurrent changes of a number all count. For single values. DESIGN section 4.
//
//   1. The start is what the earliest-stamped maximal version that left a value left.
//   2. In stamp order, each other version that left a value, and that the start's version had not seen, adds what it
//      left minus what it saw; one that saw nothing counts from 0.
//   3. Empty when every maximal version left nothing. (So an increment survives a concurrent deletion.)
//
// Numbers. Integers (derived types too) and decimals of any size are added exactly. Where an xsd:float or xsd:double
// takes part, each step is SPARQL's addition or subtraction with its promotion (integer < decimal < float < double):
// the steps and their order are fixed by the rule, and IEEE 754 rounds each the same way everywhere, so all sites get
// the same bits. If the start alone counts, it stays as it was written; else the sum is written in canonical form.
//
// Where a value that takes part is not one number (a string, an ill-formed or unknown literal, an IRI, several values),
// or a sum would pass the digits that Decimal allows, the component is decided by last-writer-wins.
//
// Hot cells. A version that every maximal one has seen may leave once each version that still comes will have seen it
// too: whatever version is the start then, it has seen this one, so this one's change is in the start already.
#pragma once

#include "reconcile/policy.h"

namespace quadrille::policies {

class Sum final : public reconcile::Policy {
 public:
  std::string_view name() const override { return "sum"; }
  uint32_t version() const override { return 1; }
  bool decides(log::CellKind kind) const override { return kind == log::CellKind::Value; }
  reconcile::Decision resolve(const reconcile::Conflict& conflict) const override;
  reconcile::Retention retention() const override { return reconcile::Retention::AsItSays; }
  bool may_leave(const reconcile::Conflict& conflict, size_t version) const override;
};

}  // namespace quadrille::policies
