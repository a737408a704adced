// The rules of settling, joining and eviction, tried in a model apart from the code: all that may happen between a few
// sites. The program model_check tries more, and prints the stories of what broken rules lead to.
#include <catch2/catch.hpp>

#include <set>

#include "tests/model/checker/explorer.h"
#include "tests/model/checker/scopes.h"
#include "tests/model/checker/story.h"

using namespace quadrille::model_check;

namespace {

void check_scope(const Setting& setting) {
  const System system(setting);
  const Finding finding = explore(system);
  INFO((finding.violation ? tell(system, *finding.violation) : ""));
  REQUIRE_FALSE(finding.violation);
  CHECK(finding.coverage.states > 1000);
  CHECK(finding.coverage.ends > 10);
}

void check_retention(Retention retention) {
  size_t scopes_tried = 0;
  for (const Setting& setting : scopes(Size::Short)) {
    if (!setting.later.empty() || setting.retention(0) != retention) continue;
    INFO(setting.name);
    check_scope(setting);
    ++scopes_tried;
  }
  CHECK(scopes_tried >= 10);
}

// Also that nothing is wrong in the same scope without it.
void check_is_found(BrokenRule rule, const std::string& what) {
  Setting setting = scope_of(rule);
  const System broken(setting);
  const Finding finding = explore(broken);
  REQUIRE(finding.violation);
  CHECK_THAT(finding.violation->what, Catch::Contains(what));
  CHECK_THAT(tell(broken, *finding.violation), Catch::Contains(what));
  setting.broken = BrokenRule::None;
  const System right(setting);
  CHECK_FALSE(explore(right, 100'000).violation);
}

}  // namespace

TEST_CASE("a policy that looks at all versions decides the same everywhere, whatever happens in which order") {
  check_retention(Retention::AllVersions);
}
TEST_CASE(
    "policies that look at maximal versions decide the same everywhere, though what a stable one has seen leaves") {
  check_retention(Retention::MaximalVersions);
}
TEST_CASE("a sum is the same everywhere, though what is stable and seen by each maximal version leaves") {
  check_retention(Retention::UnlessStableAndAllSeen);
}

TEST_CASE("a change of policies changes the same conflicts everywhere, whatever has left by the old one's leave") {
  size_t scopes_tried = 0;
  for (const Setting& setting : scopes(Size::Short)) {
    if (setting.later.empty()) continue;
    INFO(name_of(setting.policies.front()) << ", then " << name_of(setting.later.front()));
    check_scope(setting);
    ++scopes_tried;
  }
  CHECK(scopes_tried >= 12);
}

TEST_CASE("each rule to break has a name and a scope of its own") {
  std::set<std::string_view> names;
  for (const BrokenRule rule : all_broken_rules()) {
    CHECK(scope_of(rule).broken == rule);
    names.insert(name_of(rule));
  }
  CHECK(names.size() == 20);
}

TEST_CASE("a fold of what is older than each member's newest stamp is found out") {
  check_is_found(BrokenRule::FoldsByStamp, "and must show");
}
TEST_CASE("a fold of single stable versions is found out") {
  check_is_found(BrokenRule::FoldsSingleVersions, "and must show");
}
TEST_CASE("a fold of a part of the leading component is found out") {
  check_is_found(BrokenRule::FoldsPartsOfComponents, "and must show");
}
TEST_CASE("a fold of a component that does not lead is found out") {
  check_is_found(BrokenRule::FoldsWhatDoesNotLead, "and must show");
}
TEST_CASE("a heartbeat that counts before what it names is here is found out") {
  check_is_found(BrokenRule::HeartbeatCountsAtOnce, "and must show");
}
TEST_CASE("a heartbeat that passes over a changeset not yet sent is found out") {
  check_is_found(BrokenRule::HeartbeatPastUnsent, "and must show");
}
TEST_CASE("a heartbeat that names what a crash may undo is found out") {
  check_is_found(BrokenRule::HeartbeatBeforeDurable, "and must show");
}
TEST_CASE("a changeset sent before it is durable is found out") {
  check_is_found(BrokenRule::SendsBeforeDurable, "two changesets have one origin and number");
}
TEST_CASE("a member left out of what is stable is found out") {
  check_is_found(BrokenRule::ForgetsAMember, "and must show");
}
TEST_CASE("a joiner that does not count for what is stable is found out") {
  check_is_found(BrokenRule::JoinerDoesNotCount, "and must show");
}
TEST_CASE("a joiner that writes before it has the joining changeset is found out") {
  check_is_found(BrokenRule::JoinerWritesAtOnce, "and must show");
}
TEST_CASE("a snapshot that knows more of others than is in it is found out") {
  check_is_found(BrokenRule::SnapshotKnowsMore, "and must show");
}
TEST_CASE("a snapshot without windows is found out") {
  check_is_found(BrokenRule::SnapshotWithoutWindows, "and must show");
}
TEST_CASE("an evicted site that counts no more before all have answered is found out") {
  check_is_found(BrokenRule::EvictedCountsNoMore, "and must show");
}
TEST_CASE("a site that takes from an evicted one after its answer is found out") {
  check_is_found(BrokenRule::TakesFromEvicted, "and must show");
}
TEST_CASE("versions of a sum that leave before they are stable are found out") {
  check_is_found(BrokenRule::UnstableVersionsLeave, "and must show");
}
TEST_CASE("versions that leave though the policy looks at them are found out") {
  check_is_found(BrokenRule::PrunesForEveryPolicy, "and must show");
}
TEST_CASE("a conflict decided by the policy in force here and now is found out") {
  check_is_found(BrokenRule::DecidesByWhatIsInForce, "and must show");
}
TEST_CASE("versions shown to another policy than the one that they were made under are found out") {
  check_is_found(BrokenRule::ShowsOfOtherPolicies, "and must show");
}
TEST_CASE("components found anew from what did not leave are found out") {
  check_is_found(BrokenRule::ComponentsFoundAnew, "and must show");
}

// So components need not remember what left them, where only what is not maximal leaves, or what is stable.
TEST_CASE("what has seen all that is still there of a component has seen what left it") {
  for (const Retention retention : {Retention::MaximalVersions, Retention::UnlessStableAndAllSeen}) {
    Setting setting = scope_of(BrokenRule::IgnoresWhatLeft);
    setting.policies = policies_with(retention);
    setting.compares_records = true;
    const System system(setting);
    CHECK_FALSE(explore(system).violation);
  }
}
