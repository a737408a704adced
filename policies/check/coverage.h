// What the histories that were checked held.
#pragma once

#include <array>
#include <cstdint>

#include "policies/check/simulated_sites.h"

namespace quadrille::policies::check {

// What a policy did with conflicts whose maximal versions left values of one family alone.
struct FamilyCounts {
  uint64_t conflicts = 0;
  uint64_t kept_one = 0;   // what one version left
  uint64_t kept_base = 0;  // what was there before, which no version left
  uint64_t made_new = 0;   // something else
  uint64_t several = 0;    // several values, which no version left
  uint64_t emptied = 0;    // nothing, though no maximal version left nothing
  uint64_t failed = 0;
};

struct Coverage {
  uint64_t histories = 0;
  uint64_t with_conflict = 0;  // of versions of which the maximal ones left different things
  uint64_t criss_cross = 0;    // two concurrent versions that had both seen the same two concurrent versions
  uint64_t chain = 0;          // a component in which some version had seen another
  uint64_t fold_between = 0;   // a conflict at a site that had folded before
  uint64_t mixed_types = 0;    // a conflict between values of different families
  uint64_t with_deletion = 0;  // a conflict in which a maximal version left nothing
  uint64_t same_value = 0;     // maximal versions that left the same
  uint64_t equal_stamps = 0;   // in one component
  uint64_t no_ops = 0;
  uint64_t joins = 0;
  uint64_t evictions = 0;
  uint64_t leaving = 0;  // versions left the window
  uint64_t calls = 0;    // distinct conflicts
  std::array<FamilyCounts, value_families> families;
  FamilyCounts mixed;

  void count(const Played& played);
  void add(const Coverage& other);
};

// The maximal versions left different things.
bool is_real_conflict(const reconcile::Conflict& conflict);

}  // namespace quadrille::policies::check
