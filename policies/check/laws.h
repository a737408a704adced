// What must hold of every policy, looked for in one history that has been played.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policies/check/simulated_sites.h"

namespace quadrille::policies::check {

enum class Law : uint8_t {
  InsideCell,      // answers nothing but statements of the cell
  NeverFails,      // decides every conflict
  SecondCall,      // the same answer when asked again, in another order, between other conflicts
  OtherProcess,    // the same answer in another process, with another environment, later
  SeveralThreads,  // the same answer while other threads ask
  Choosing,        // choose() and resolve() agree
  MaximalOnly,     // Retention::MaximalVersions is true
  MayLeave,        // what may_leave() says is true
  LocalChecks,     // check() says the same again
  Convergence,     // sites hold the same in the end, whatever came in which order, folded or left when
};
inline constexpr size_t law_count = 10;

std::string_view name_of(Law law);         // "nothing outside the cell"
std::string_view explanation_of(Law law);  // one sentence: why it must hold

struct Broken {
  Law law = Law::InsideCell;
  size_t conflict = 0;  // of Played::conflicts; their count: none in particular
  std::string what;     // sentences
  Answer expected;      // two answers that should be one
  Answer got;
};

// The first place where the law is broken. Not for OtherProcess and SeveralThreads, which need more than a history.
std::optional<Broken> find_broken(Law law, const Played& played, const reconcile::Policy& policy,
                                  const ValuePool& pool);

// Calls check() once: the content is what the cell is left with, the failure why it is refused.
Answer ask_check(const reconcile::Policy& policy, const reconcile::LocalChange& change);
reconcile::LocalChange local_change(const Played& played, size_t version, const reconcile::CellName& cell,
                                    const std::string& argument);

// Two answers of one floating-point number each that differ by no more than the rounding of this conflict's numbers.
bool differ_by_rounding(const reconcile::Conflict& conflict, const Answer& one, const Answer& other);

}  // namespace quadrille::policies::check
