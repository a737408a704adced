// A way out for an index join that was promised few rows and sees many: from some look-ups on, reading its pattern
// whole into a hash table is cheaper than looking up the rest.
//
// The switch comes when the look-ups made cost as much as it will: so, whatever comes after it, the join takes no more
// than about twice what the better way alone would have taken (as one rents skis before one buys them).
#pragma once

#include <cstdint>
#include <memory>

#include "engine/exec/operator.h"
#include "engine/exec/pipeline.h"
#include "engine/exec/run_state.h"
#include "engine/plan/plan.h"

namespace quadrille::exec {

class JoinSwitch {
 public:
  // `plan`: of the index join; must outlive this.
  JoinSwitch(const plan::Plan& plan, RunState& run);
  // The operator that was made refers to the plans in here.
  JoinSwitch(const JoinSwitch&) = delete;
  JoinSwitch& operator=(const JoinSwitch&) = delete;

  // Whether the join should switch after so many look-ups.
  bool is_due(uint64_t lookups);
  // Joins the rows that are left.
  OperatorPointer make(OperatorPointer left);

 private:
  bool is_possible() const;
  std::unique_ptr<plan::Plan> scan_plan() const;
  // Null where it cannot be done: then it is never due.
  std::unique_ptr<const plan::Plan> hash_join_plan() const;

  const plan::Plan& index_join_;
  RunState& run_;
  SharedParts<plan::Plan, KeptRows>*
      sides_;  // of the pipeline that the join is a part of: who switches first reads the pattern for all
  bool is_planned_ = false;
  std::unique_ptr<const plan::Plan> hash_join_;
};

}  // namespace quadrille::exec
