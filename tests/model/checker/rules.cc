#include "tests/model/checker/rules.h"

namespace quadrille::model_check {

std::string_view name_of(BrokenRule rule) {
  switch (rule) {
    case BrokenRule::None: return "none";
    case BrokenRule::FoldsByStamp: return "folds-by-stamp";
    case BrokenRule::FoldsSingleVersions: return "folds-single-versions";
    case BrokenRule::FoldsPartsOfComponents: return "folds-parts-of-components";
    case BrokenRule::FoldsWhatDoesNotLead: return "folds-what-does-not-lead";
    case BrokenRule::HeartbeatCountsAtOnce: return "heartbeat-counts-at-once";
    case BrokenRule::HeartbeatPastUnsent: return "heartbeat-past-unsent";
    case BrokenRule::HeartbeatBeforeDurable: return "heartbeat-before-durable";
    case BrokenRule::SendsBeforeDurable: return "sends-before-durable";
    case BrokenRule::ForgetsAMember: return "forgets-a-member";
    case BrokenRule::JoinerDoesNotCount: return "joiner-does-not-count";
    case BrokenRule::JoinerWritesAtOnce: return "joiner-writes-at-once";
    case BrokenRule::SnapshotKnowsMore: return "snapshot-knows-more";
    case BrokenRule::SnapshotWithoutWindows: return "snapshot-without-windows";
    case BrokenRule::EvictedCountsNoMore: return "evicted-counts-no-more";
    case BrokenRule::TakesFromEvicted: return "takes-from-evicted";
    case BrokenRule::UnstableVersionsLeave: return "unstable-versions-leave";
    case BrokenRule::PrunesForEveryPolicy: return "prunes-for-every-policy";
    case BrokenRule::DecidesByWhatIsInForce: return "decides-by-what-is-in-force";
    case BrokenRule::ShowsOfOtherPolicies: return "shows-of-other-policies";
    case BrokenRule::ComponentsFoundAnew: return "components-found-anew";
    case BrokenRule::IgnoresWhatLeft: return "ignores-what-left";
  }
  return {};
}

std::vector<BrokenRule> all_broken_rules() {
  std::vector<BrokenRule> rules;
  for (auto rule = static_cast<uint8_t>(BrokenRule::FoldsByStamp);
       rule <= static_cast<uint8_t>(BrokenRule::ComponentsFoundAnew); ++rule) {
    rules.push_back(static_cast<BrokenRule>(rule));
  }
  return rules;
}

}  // namespace quadrille::model_check
