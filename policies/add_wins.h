// add-wins: a quad exists if any version that no other has superseded says so. For quads.
#pragma once

#include "reconcile/policy.h"

namespace quadrille::policies {

class AddWins final : public reconcile::ChoosingPolicy {
 public:
  std::string_view name() const override { return "add-wins"; }
  uint32_t version() const override { return 1; }
  bool decides(log::CellKind kind) const override { return kind == log::CellKind::Quad; }

 protected:
  size_t pick(const reconcile::Outline& outline) const override;
};

}  // namespace quadrille::policies
