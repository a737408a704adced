// What a random history is about: which policies decide its cells, and what is wrong in it on purpose.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reconcile/assignment.h"

namespace quadrille::test {

// Which changesets have ranges in the window: none, or those of so many operations, or something else at each site.
enum class Ranges : uint64_t { Off = 10'000, All = 1, OfTwo = 2, Mixed = 0 };

enum class StabilityRule : uint8_t { AsItShouldBe, IgnoresStability, BelievesAtOnce };

// Policies as an assignment names them.
struct HistorySetting {
  std::vector<std::string> quads = {"add-wins"};           // of properties p0, p1, ...; the first for all others too
  std::vector<std::string> values = {"last-writer-wins"};  // of properties v0, v1, ...
  std::vector<std::string> records;                        // of groups r0 (properties r0a and r0b), r1, ...
  StabilityRule stability = StabilityRule::AsItShouldBe;
  Ranges ranges = Ranges::Mixed;
  bool is_hot = false;            // all write the same few cells, in short requests: large components
  bool changes_policies = false;  // sites put other policies in place while they write
  bool changes_cells = false;     // and other cells
  bool reads_context = false;     // the first policy of each kind reads other quads
  size_t steps = 0;               // 0: some number that follows from the seed

  // `variant` 0: as it says here. Others: where policies change, each in another place; where cells change, quads and
  // values in each other's.
  reconcile::Assignment assignment(size_t variant = 0) const;
  std::string describe() const;
};

// The policies of a registry that decide this kind of cell, without context, as texts; a policy that wants an argument
// gets the sites' names.
std::vector<std::string> policies_for(const reconcile::PolicyRegistry& registry, log::CellKind kind);

// One to three policies of each kind, different ones from seed to seed, so that some seeds meet all. Every third is
// hot, with one of each kind. In some, assignments change.
HistorySetting random_setting(uint32_t seed, const reconcile::PolicyRegistry& registry);

}  // namespace quadrille::test
