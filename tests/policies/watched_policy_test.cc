#include "policies/watched_policy.h"

#include <catch2/catch.hpp>

#include "policies/built_in.h"
#include "policies/load_policy.h"
#include "policies/policy_failure.h"
#include "tests/policies/conflicts.h"

using namespace quadrille;
using namespace quadrille::policies;

namespace {

class FixedTime : public base::WallClock {
 public:
  int64_t now_ms() const override { return now; }
  int64_t now = 1'000;
};

class HandSetClock : public base::SteadyClock {
 public:
  int64_t now_us() const override { return now += step; }
  mutable int64_t now = 0;
  int64_t step = 0;  // what passes between two looks
};

std::shared_ptr<const reconcile::Policy> load(const std::string& name) {
  auto policy = load_policy(QUADRILLE_PLUGINS "/plugin_" + name + ".so");
  if (!policy) FAIL(policy.error().message);
  return *policy;
}

}  // namespace

TEST_CASE("a policy that takes too long is told with its cell, and its answer counts all the same") {
  HandSetClock clock;
  std::vector<std::string> told;
  FixedTime time;
  PolicyTroubleBook book(time);
  const auto policy =
      watch(load("longest_text"), {clock, book, [&](const std::string& line) { told.push_back(line); }});
  const auto conflict = concurrent({{"long one"}, {"short"}});
  clock.step = overrun_ms * 1000 - 1;
  CHECK(policy->resolve(conflict).content == strings({"long one"}));
  CHECK(told.empty());
  clock.step = 70'000;
  CHECK(policy->resolve(conflict).content == strings({"long one"}));
  CHECK(told == std::vector<std::string>{"policy 'longest-text' took 70 ms over the cell <http://e/s> <http://e/v>"});
  CHECK_THROWS_AS(policy->resolve(concurrent({{"ab"}, {"c"}}, "9")), PolicyFailure);
  CHECK(told.size() == 2);
}

TEST_CASE("how often a policy failed or took too long is counted, and when last") {
  HandSetClock clock;
  FixedTime time;
  PolicyTroubleBook book(time);
  const auto policy = watch(load("longest_text"), {clock, book, [](const std::string&) {}});
  REQUIRE(book.troubles().size() == 1);
  CHECK(book.troubles()[0].policy == "longest-text");
  CHECK(book.troubles()[0].failures + book.troubles()[0].overruns == 0);
  for (const int64_t now : {2'000, 3'000}) {
    time.now = now;
    CHECK_THROWS_AS(policy->resolve(concurrent({{"ab"}, {"c"}}, "9")), PolicyFailure);
  }
  time.now = 4'000;
  clock.step = 80'000;
  policy->resolve(concurrent({{"long one"}, {"short"}}));
  const PolicyTroubles troubles = book.troubles()[0];
  CHECK(troubles.failures == 2);
  CHECK(troubles.last_failure_ms == 3'000);
  CHECK_FALSE(troubles.last_failure.empty());
  CHECK(troubles.overruns == 1);
  CHECK(troubles.last_overrun_ms == 4'000);
  CHECK(troubles.longest_ms == 80);
}

TEST_CASE("an answer that is not of the cell counts as a failure") {
  class AnswersElsewhere : public reconcile::Policy {
   public:
    std::string_view name() const override { return "elsewhere"; }
    uint32_t version() const override { return 1; }
    bool decides(log::CellKind) const override { return true; }
    reconcile::Decision resolve(const reconcile::Conflict&) const override {
      return {{{model::Term::iri("http://e/other"), model::Term::literal("x")}}};
    }
  };
  const HandSetClock clock;
  const FixedTime time;
  PolicyTroubleBook book(time);
  const auto policy = watch(std::make_shared<AnswersElsewhere>(), {clock, book, [](const std::string&) {}});
  policy->resolve(concurrent({{"a"}, {"b"}}));
  CHECK(book.troubles().front().failures == 1);
}

TEST_CASE("a watched policy is the policy in all else, and built-in ones are left alone") {
  const HandSetClock clock;
  const std::vector<std::filesystem::path> files{QUADRILLE_PLUGINS "/plugin_reads_limit.so",
                                                 QUADRILLE_PLUGINS "/plugin_misbehaves.so"};
  const auto loaded = built_in_and_loaded(files);
  REQUIRE(loaded);
  const FixedTime time;
  PolicyTroubleBook book(time);
  const auto watched = watch_loaded(*loaded, {clock, book, [](const std::string&) {}});
  CHECK(watched.names() == loaded->names());
  for (const std::string& name : watched.names()) {
    const auto one = loaded->find(name);
    const auto other = watched.find(name);
    CHECK((one == other) == (built_in().find(name) != nullptr));
    CHECK(one->version() == other->version());
    CHECK(one->content_digest() == other->content_digest());
    CHECK(one->retention() == other->retention());
    CHECK(one->reads_context() == other->reads_context());
    CHECK(one->fallback() == other->fallback());
    CHECK(one->checks_local_changes() == other->checks_local_changes());
    CHECK(one->accepts_several_values() == other->accepts_several_values());
    CHECK(one->check_argument("x").ok() == other->check_argument("x").ok());
    for (const auto kind : {log::CellKind::Quad, log::CellKind::Value, log::CellKind::Record}) {
      CHECK(one->decides(kind) == other->decides(kind));
    }
  }
  const auto limit = watched.find("reads-limit");
  CHECK(limit->may_leave(concurrent({{"a"}, {}}), 1));
  CHECK(watched.find("misbehaves")->check({concurrent({}).cell, {}, {}, "refuses"}).refused);
}
