// keep-all: every value that a maximal version left stays, and the conflict is open until someone writes one. For
// single values; one request may leave several.
//
// For what people must decide: the cell shows all candidates, `quadrille conflicts` lists the conflict as open, and a
// write of one value (also of one that is there) replaces them all. A maximal version that left nothing adds nothing: a
// value survives a concurrent deletion, and a conflict that leaves fewer than two values is not open.
//
// Not for records: a cell with two streets and two towns no longer says which go together.
#pragma once

#include "reconcile/policy.h"

namespace quadrille::policies {

class KeepAll final : public reconcile::Policy {
 public:
  static constexpr std::string_view policy_name = "keep-all";
  std::string_view name() const override { return policy_name; }
  uint32_t version() const override { return 1; }
  bool decides(log::CellKind kind) const override { return kind == log::CellKind::Value; }
  bool accepts_several_values() const override { return true; }
  reconcile::Decision resolve(const reconcile::Conflict& conflict) const override;
  reconcile::Retention retention() const override { return reconcile::Retention::MaximalVersions; }
};

}  // namespace quadrille::policies
