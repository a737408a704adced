// What a run of the checker tries: how large, which policies, and which rule is broken on purpose.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tests/model/checker/history.h"
#include "tests/model/checker/model_policies.h"

namespace quadrille::model_check {

// The rules of DESIGN section 4 "Settling", section 5 "Joining" and "Eviction", each broken in one way.
enum class BrokenRule : uint8_t {
  None,
  FoldsByStamp,            // what is older than each member's newest stamp folds
  FoldsSingleVersions,     // each stable version folds, whatever it is concurrent with
  FoldsPartsOfComponents,  // of the first component the stable part folds
  FoldsWhatDoesNotLead,    // the last component that is whole and stable folds, though others come before it
  HeartbeatCountsAtOnce,   // before the changesets that it names are here
  HeartbeatPastUnsent,     // names what its site took in, and not what it wrote and has not sent
  HeartbeatBeforeDurable,  // names what a crash may still undo
  SendsBeforeDurable,      // a changeset leaves though a crash may still undo it
  ForgetsAMember,          // in the minimum over what members are known to have
  JoinerDoesNotCount,      // for stability
  JoinerWritesAtOnce,      // before it has the joining changeset
  SnapshotKnowsMore,       // of others than the changesets that are in it bear out
  SnapshotWithoutWindows,  // the joiner gets the quads as if they had no history
  EvictedCountsNoMore,     // from the eviction on, before all have answered
  TakesFromEvicted,        // after the answer, all that comes
  UnstableVersionsLeave,   // versions seen by each maximal one leave before they are stable
  PrunesForEveryPolicy,    // down to maximal versions, also where the policy looks at all
  DecidesByWhatIsInForce,  // here and now, whatever the versions of the component were made under
  ShowsOfOtherPolicies,    // versions made under another policy, which may have left elsewhere
  ComponentsFoundAnew,     // from what is still in the window, without those that left
  // Not wrong, as it turns out: what has seen all that is still there of a component has seen what left, too.
  IgnoresWhatLeft,
};

std::string_view name_of(BrokenRule rule);
// Those that must be found out: not `None`, and not `IgnoresWhatLeft`.
std::vector<BrokenRule> all_broken_rules();

enum class Topology : uint8_t { Triangle, Line };  // Line: 0 and 2 hear of each other through 1

struct Setting {
  std::string name;
  std::vector<ModelPolicy> policies;  // tried at the same time; all of one retention
  std::vector<ModelPolicy> later;     // for each, what a change of the assignment puts in its place; likewise
  size_t sites = 3;
  size_t cells = 1;
  Topology topology = Topology::Triangle;
  uint8_t transactions = 4;
  uint8_t heartbeats = 2;
  uint8_t crashes = 0;
  std::array<uint8_t, sites_max> by_site_max = {5, 5, 5};  // of these, how many each site writes at most
  bool has_join = false;                                   // the last site comes later
  bool has_eviction = false;                               // of the last site
  // What a transaction may write in cells 0 and 1. Without a choice of values they follow from site and number.
  std::vector<std::array<Write, cells_max>> menu;
  bool chooses_values = true;
  bool compares_records = true;
  BrokenRule broken = BrokenRule::None;

  ModelPolicy policy(size_t index, uint8_t number) const { return number == 0 ? policies[index] : later[index]; }
  Retention retention(uint8_t number) const {
    if (broken == BrokenRule::PrunesForEveryPolicy) return Retention::MaximalVersions;
    return retention_of(policy(0, number));
  }
  Site last_site() const { return static_cast<Site>(sites - 1); }
  bool are_linked(Site one, Site other) const {
    return topology == Topology::Triangle || one + 1 == other || other + 1 == one;
  }
};

}  // namespace quadrille::model_check
