// site-priority: what the maximal version of the site that comes first left. For any cell.
//
//   site-priority(ams, nyc)   ams before nyc before all others; those by name in byte order
//   site-priority             all by name
//
// By the site's name, not its incarnation: of two maximal versions that two incarnations of one site left, the one with
// the newer stamp counts (equal stamps: the higher incarnation). A deletion counts like any other version.
#pragma once

#include "reconcile/policy.h"

namespace quadrille::policies {

class SitePriority final : public reconcile::ChoosingPolicy {
 public:
  std::string_view name() const override { return "site-priority"; }
  uint32_t version() const override { return 1; }
  bool decides(log::CellKind) const override { return true; }
  // Names of sites, none twice, with commas between them; or nothing.
  base::Result<void> check_argument(std::string_view argument) const override;

 protected:
  size_t pick(const reconcile::Outline& outline) const override;
};

}  // namespace quadrille::policies
