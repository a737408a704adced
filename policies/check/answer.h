// What a policy answered, as laws compare it.
#pragma once

#include <string>

#include "reconcile/policy.h"

namespace quadrille::policies::check {

struct Answer {
  reconcile::Content content;  // sorted, without repeats
  std::string failure;         // what it threw; the content is empty then
  bool is_outside = false;     // of the content, some does not belong to the cell

  bool decided() const noexcept { return failure.empty() && !is_outside; }
  friend bool operator==(const Answer&, const Answer&) = default;
};

// Calls resolve() once. std::bad_alloc passes through.
Answer ask(const reconcile::Policy& policy, const reconcile::Conflict& conflict);

// What a site would hold: the answer, or what the fallback says (add-wins for quads, last-writer-wins else).
reconcile::Content outcome(const reconcile::Conflict& conflict, const Answer& answer);

// Takes out the versions that are not in `kept`, and sets again which are maximal.
reconcile::Conflict only(const reconcile::Conflict& conflict, const std::vector<bool>& kept);

// "a" and 1, as a person writes them.
std::string describe(const reconcile::Content& content);
std::string describe(const Answer& answer);

}  // namespace quadrille::policies::check
