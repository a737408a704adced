// What each operator of a run did: for people who ask why a query takes long.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "engine/base/clock.h"
#include "engine/exec/operator.h"
#include "engine/model/quad_source.h"
#include "engine/plan/plan.h"

namespace quadrille::exec {

struct OperatorFigures {
  uint64_t rows = 0;
  uint64_t batches = 0;
  uint64_t lookups = 0;        // keys that were looked for in the index
  uint64_t requests = 0;       // to the endpoint of a SERVICE
  uint64_t spilled_bytes = 0;  // written to disk, all in all
  bool has_switched = false;   // went on as a hash join (join_switch.h)
  int64_t time_us = 0;         // in the operator and in those below it; of all threads together
  uint64_t blocks = 0;         // of the index that were read, in the operator and in those below it
  // Where several threads ran it: how long the operator above waited for it.
  std::optional<int64_t> waited_us;
};

// Of one run; belongs to its thread. Figures of operators that are made several times (seeded ones) add up.
class Profile {
 public:
  explicit Profile(const base::SteadyClock& clock) : clock_(clock) {}

  // Stays where it is.
  OperatorFigures& of(const plan::Plan& plan) { return figures_[&plan]; }
  const OperatorFigures* find(const plan::Plan& plan) const {
    const auto entry = figures_.find(&plan);
    return entry == figures_.end() ? nullptr : &entry->second;
  }
  // Adds the figures of another thread's share, and sets them to nothing.
  void take_over(Profile& share);
  const base::SteadyClock& clock() const noexcept { return clock_; }
  // The same operator, observed.
  OperatorPointer observe(const plan::Plan& plan, const model::QuadSource& source, OperatorPointer observed);

 private:
  const base::SteadyClock& clock_;
  std::map<const plan::Plan*, OperatorFigures> figures_;  // looked up only: the order of addresses decides nothing
};

}  // namespace quadrille::exec
