// last-writer-wins: what the version of the highest stamp left; equal stamps: of the higher origin. For any cell.
#pragma once

#include "reconcile/policy.h"

namespace quadrille::policies {

class LastWriterWins final : public reconcile::ChoosingPolicy {
 public:
  std::string_view name() const override { return "last-writer-wins"; }
  uint32_t version() const override { return 1; }
  bool decides(log::CellKind) const override { return true; }

 protected:
  size_t pick(const reconcile::Outline& outline) const override;
};

}  // namespace quadrille::policies
