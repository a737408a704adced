// union: every value that a maximal version left. For cells that hold a set of values; one request may leave several.
//
// The same values as keep-all; but here several values are what is wanted, and nothing waits for anybody. A request
// that inserts values says what the whole set is: `DELETE DATA` of one takes one away, `INSERT DATA` of one leaves that
// one alone. What one site removed stays where another one, at the same time, left it. (A property whose values come
// and go one by one needs no cell at all: leave it to quads and add-wins.)
//
// Not for records, as policies/keep_all.h says.
#pragma once

#include "reconcile/policy.h"

namespace quadrille::policies {

class Union final : public reconcile::Policy {
 public:
  std::string_view name() const override { return "union"; }
  uint32_t version() const override { return 1; }
  bool decides(log::CellKind kind) const override { return kind == log::CellKind::Value; }
  bool accepts_several_values() const override { return true; }
  reconcile::Decision resolve(const reconcile::Conflict& conflict) const override;
  reconcile::Retention retention() const override { return reconcile::Retention::MaximalVersions; }
};

}  // namespace quadrille::policies
