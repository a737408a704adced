// min: the smallest of all values that the maximal versions left. For single values.
//
// Values are compared in the one total order over all RDF terms (engine/model/term_order.h): numbers by exact value
// over all their types, and any two terms that differ stand one before the other, so that a number against a string, or
// 1 against 1.0, ends as the same term at every site. A version that left several values counts with each of them; one
// that left nothing does not count, so that a value survives a concurrent deletion; the cell is left empty when every
// maximal version left nothing.
//
// Only what is concurrent is compared: who has seen a value may replace it by any other.
#pragma once

#include "reconcile/policy.h"

namespace quadrille::policies {

class Min final : public reconcile::Policy {
 public:
  std::string_view name() const override { return "min"; }
  uint32_t version() const override { return 1; }
  bool decides(log::CellKind kind) const override { return kind == log::CellKind::Value; }
  reconcile::Decision resolve(const reconcile::Conflict& conflict) const override;
  reconcile::Retention retention() const override { return reconcile::Retention::MaximalVersions; }
};

}  // namespace quadrille::policies
