#include "sim/invariants.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/site_query.h"

namespace quadrille::sim {

bool Invariants::has(Invariant::When when) const {
  return std::any_of(invariants_.begin(), invariants_.end(), [&](const auto& each) { return each.when == when; });
}

std::optional<checks::Violation> Invariants::ask_all(SimulatedSite& site, Invariant::When when, int64_t at_us) const {
  for (const auto& invariant : invariants_) {
    if (invariant.when != when) continue;
    const auto truth = ask(site, invariant.ask);
    if (truth.ok() && *truth) continue;
    return checks::Violation{
        fmt::format("invariant \"{}\"", invariant.name),
        fmt::format("  at {}, after {:.3f} s: {}\n    {}", site.name(), static_cast<double>(at_us) / 1e6,
                    truth.ok() ? "it is not so" : truth.error().message, invariant.ask)};
  }
  return std::nullopt;
}

}  // namespace quadrille::sim
