// What the user says must be true: SPARQL ASK queries, asked at each site that is a member.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sim/checks/violation.h"
#include "sim/scenario.h"
#include "sim/simulated_site.h"

namespace quadrille::sim {

class Invariants {
 public:
  explicit Invariants(const std::vector<Invariant>& invariants) : invariants_(invariants) {}

  bool has(Invariant::When when) const;
  // The first of those of that kind that does not hold at the site, which is running. `at_us`: for the story.
  std::optional<checks::Violation> ask_all(SimulatedSite& site, Invariant::When when, int64_t at_us) const;

 private:
  const std::vector<Invariant>& invariants_;
};

}  // namespace quadrille::sim
