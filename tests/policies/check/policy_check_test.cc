// Checks of policies within one process: built-in ones pass, faults are found and told by the smallest history.
#include <catch2/catch.hpp>

#include "policies/built_in.h"
#include "policies/check/policy_check.h"
#include "policies/check/shrinking.h"
#include "policies/check/simulated_sites.h"

using namespace quadrille;
using namespace quadrille::policies::check;

namespace {

class TestPolicy : public reconcile::Policy {
 public:
  std::string_view name() const override { return "test"; }
  uint32_t version() const override { return 1; }
  bool decides(log::CellKind) const override { return true; }
};

// Its answer rests on all that it is shown.
class CountsVersions final : public TestPolicy {
 public:
  reconcile::Decision resolve(const reconcile::Conflict& conflict) const override {
    if (conflict.versions.size() % 2 == 0) return {conflict.base};
    return {conflict.versions.front().left};
  }
};

class LooksAtTheRest final : public TestPolicy {
 public:
  reconcile::Retention retention() const override { return reconcile::Retention::MaximalVersions; }
  reconcile::Decision resolve(const reconcile::Conflict& conflict) const override {
    return {conflict.versions.front().left};
  }
};

class LosesFirstValue final : public TestPolicy {
 public:
  bool decides(log::CellKind kind) const override { return kind == log::CellKind::Value; }
  reconcile::Retention retention() const override { return reconcile::Retention::AsItSays; }
  bool may_leave(const reconcile::Conflict&, size_t) const override { return true; }
  reconcile::Decision resolve(const reconcile::Conflict& conflict) const override {
    return {conflict.versions.front().left};
  }
};

CheckReport check(const reconcile::Policy& policy, uint64_t cases, const std::string& argument = {}) {
  CheckOptions options;
  options.cases = cases;
  options.argument = argument;
  base::InlineTaskRunner runner;
  auto report = check_policy({policy, {}}, options, runner, nullptr);
  if (!report) FAIL(report.error().message);
  return std::move(report).value();
}

double share(uint64_t part, const Coverage& all) { return double(part) / double(all.histories); }

}  // namespace

TEST_CASE("every built-in policy keeps all laws over generated histories") {
  const reconcile::PolicyRegistry built_in = policies::built_in();
  for (const std::string& name : built_in.names()) {
    const auto policy = built_in.find(name);
    INFO(name);
    const CheckReport report = check(*policy, 3000, policy->check_argument({}) ? "" : "sgp, ams");
    for (const Finding& finding : report.findings) {
      UNSCOPED_INFO(finding.cause);
      for (const auto& line : finding.computed) UNSCOPED_INFO(line);
    }
    CHECK(report.findings.empty());
    CHECK(report.coverage.histories == 3000);
    CHECK(share(report.coverage.with_conflict, report.coverage) > 0.5);
  }
}

TEST_CASE("any deterministic policy converges, whatever it computes") {
  const CheckReport report = check(CountsVersions(), 4000);
  CHECK(report.findings.empty());
}

TEST_CASE("generated histories hold all that they are to hold") {
  const Coverage held = check(CountsVersions(), 4000).coverage;
  CHECK(share(held.with_conflict, held) > 0.5);
  CHECK(share(held.criss_cross, held) > 0.1);
  CHECK(share(held.chain, held) > 0.3);
  CHECK(share(held.fold_between, held) > 0.02);
  CHECK(share(held.mixed_types, held) > 0.05);
  CHECK(share(held.with_deletion, held) > 0.1);
  CHECK(share(held.same_value, held) > 0.1);
  CHECK(share(held.equal_stamps, held) > 0.1);
  CHECK(share(held.no_ops, held) > 0.1);
  CHECK(share(held.joins, held) > 0.05);
  CHECK(share(held.evictions, held) > 0.03);
  for (size_t i = 0; i < value_families; ++i) {
    INFO(name_of(static_cast<ValueFamily>(i)));
    CHECK(held.families[i].conflicts > 20);
  }
}

TEST_CASE("the same seed and number make the same history, and other seeds others") {
  const ValuePool pool;
  const CountsVersions policy;
  const HistoryGenerator one(policy, pool, "http://e/p", {}, 7);
  const HistoryGenerator same(policy, pool, "http://e/p", {}, 7);
  const HistoryGenerator other(policy, pool, "http://e/p", {}, 8);
  CHECK(one.make(500) == same.make(500));
  CHECK_FALSE(one.make(500) == other.make(500));
}

TEST_CASE("a policy that looks at what it says it does not is told by three writes at two sites") {
  const CheckReport report = check(LooksAtTheRest(), 2000);
  REQUIRE(report.findings.size() == 1);
  const Finding& finding = report.findings.front();
  CHECK(finding.cause == "claims \"maximal only\" and looks at the rest");
  CHECK(finding.laws.front() == Law::MaximalOnly);
  CHECK(finding.size == "2 sites, 3 writes");
  CHECK(finding.story.size() <= 5);
  CHECK_FALSE(finding.conflict.empty());
  CHECK_FALSE(finding.computed.empty());
}

TEST_CASE("nothing simpler than a shrunk history breaks the law any more") {
  const LooksAtTheRest policy;
  const ValuePool pool;
  const CheckReport report = check(policy, 2000);
  REQUIRE(report.findings.size() == 1);
  for (const History& simpler : simpler_than(report.findings.front().history)) {
    CHECK_FALSE(find_broken(Law::MaximalOnly, play(simpler, policy, pool), policy, pool));
  }
}

TEST_CASE("a version that may not leave is found by taking it away") {
  const CheckReport report = check(LosesFirstValue(), 2000);
  REQUIRE_FALSE(report.findings.empty());
  CHECK(report.findings.front().laws.front() == Law::MayLeave);
}

TEST_CASE("questions and answers come through bytes unchanged") {
  const ValuePool pool;
  const CountsVersions policy;
  const HistoryGenerator generator(policy, pool, "http://e/p", {}, 3);
  const Round round;
  RequestWriter writer(std::span(&round, 1));
  std::vector<reconcile::Conflict> written;
  for (uint64_t number = 0; number < 50; ++number) {
    const Played played = play(generator.make(number), policy, pool);
    writer.begin_group();
    for (const PlayedConflict& met : played.conflicts) {
      writer.add(met.conflict);
      written.push_back(met.conflict);
    }
  }
  const auto request = read_request(writer.bytes());
  REQUIRE(request);
  size_t place = 0;
  for (const auto& group : request->groups) {
    for (const Question& question : group) {
      const auto& read = std::get<reconcile::Conflict>(question);
      REQUIRE(place < written.size());
      CHECK(read.cell == written[place].cell);
      CHECK(read.base == written[place].base);
      CHECK(read.versions == written[place].versions);
      CHECK(read.seen == written[place].seen);
      ++place;
    }
  }
  CHECK(place == written.size());
  CHECK_FALSE(read_request("\x01"));
}
