// delete-wins: a quad exists only if all versions that no other has superseded say so. For quads.
#pragma once

#include "reconcile/policy.h"

namespace quadrille::policies {

class DeleteWins final : public reconcile::ChoosingPolicy {
 public:
  std::string_view name() const override { return "delete-wins"; }
  uint32_t version() const override { return 1; }
  bool decides(log::CellKind kind) const override { return kind == log::CellKind::Quad; }

 protected:
  size_t pick(const reconcile::Outline& outline) const override;
};

}  // namespace quadrille::policies
