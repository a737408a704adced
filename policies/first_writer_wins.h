// first-writer-wins: what the earliest-stamped maximal version left; equal stamps: of the lower origin. For any cell.
//
// First among those that nobody has superseded: who changes his own write before others hear of either stands with the
// later one. A deletion is a write like any other: where it came first, the cell is empty.
#pragma once

#include "reconcile/policy.h"

namespace quadrille::policies {

class FirstWriterWins final : public reconcile::ChoosingPolicy {
 public:
  std::string_view name() const override { return "first-writer-wins"; }
  uint32_t version() const override { return 1; }
  bool decides(log::CellKind) const override { return true; }

 protected:
  size_t pick(const reconcile::Outline& outline) const override;
};

}  // namespace quadrille::policies
