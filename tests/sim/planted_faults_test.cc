// The checks can fail: each fault here is planted through a seam of the product, and the simulator must find it, name a
// seed, and find the same thing again when that seed is run again.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/base/check.h"
#include "policies/built_in.h"
#include "sim/scenario.h"
#include "sim/seed_runner.h"
#include "sim/shrink.h"
#include "sim/simulation.h"

namespace quadrille::sim {
namespace {

constexpr uint64_t seeds_max = 12;

Scenario shipped_scenario() {
  auto scenario = read_scenario(QUADRILLE_SOURCE_DIR "/sim/scenarios/partition.toml", policies::built_in());
  REQUIRE(scenario.ok());
  return std::move(*scenario);
}

// In a process of its own: a planted fault may bring it down.
SeedResult run_once(const Scenario& scenario, uint64_t seed, const SiteFactories& factories) {
  const auto directory = make_work_directory();
  RunOptions options;
  options.factories = factories;
  auto results = run_scenarios({scenario}, seed, options, directory);
  std::filesystem::remove_all(directory);
  REQUIRE(results.size() == 1);
  return std::move(results.front());
}

// The first seed that finds something.
std::optional<SeedResult> find(const Scenario& scenario, const SiteFactories& factories) {
  for (uint64_t seed = 1; seed <= seeds_max; ++seed) {
    auto result = run_once(scenario, seed, factories);
    if (!result.violations.empty()) return result;
  }
  return std::nullopt;
}

// It is found as what it is, found again, and not found where it is not planted.
void check_found(const Scenario& scenario, const SiteFactories& planted, const SiteFactories& sound,
                 const std::set<std::string>& as) {
  const auto found = find(scenario, planted);
  REQUIRE(found);
  INFO(found->violations.front().check << "\n" << found->violations.front().story);
  CHECK(as.contains(found->violations.front().check));
  const auto again = run_once(scenario, found->seed, planted);
  REQUIRE_FALSE(again.violations.empty());
  CHECK(again.violations.front().check == found->violations.front().check);
  CHECK(again.violations.front().story == found->violations.front().story);
  CHECK(again.trace_hash == found->trace_hash);
  const auto without = run_once(scenario, found->seed, sound);
  for (const auto& violation : without.violations) FAIL_CHECK(violation.check << "\n" << violation.story);
}

// The built-in policies with another one in the place of last-writer-wins.
reconcile::PolicyRegistry with_last_writer_wins(std::shared_ptr<const reconcile::Policy> other) {
  const auto sound = policies::built_in();
  reconcile::PolicyRegistry registry;
  for (const auto& name : sound.names()) {
    REQUIRE(registry.add(name == "last-writer-wins" ? other : sound.find(name)).ok());
  }
  return registry;
}

// Decides for a version that came from elsewhere: that one arrived last. Which one that is differs between sites.
class LatestArrivalWins final : public reconcile::Policy {
 public:
  explicit LatestArrivalWins(std::string site) : site_(std::move(site)) {}
  std::string_view name() const override { return "last-writer-wins"; }
  uint32_t version() const override { return 1; }
  bool decides(log::CellKind) const override { return true; }
  reconcile::Decision resolve(const reconcile::Conflict& conflict) const override {
    const reconcile::Version* latest = nullptr;
    for (const auto& version : conflict.versions) {
      if (version.is_maximal && (!latest || version.id.origin.name != site_)) latest = &version;
    }
    return {latest->left};
  }

 private:
  std::string site_;
};

TEST_CASE("a policy that prefers what arrived last is found") {
  SiteFactories planted;
  planted.policies = [](const std::string& site) {
    return with_last_writer_wins(std::make_shared<LatestArrivalWins>(site));
  };
  check_found(shipped_scenario(), planted, {}, {"convergence", "one value", "conflict records"});
}

TEST_CASE("a failing run is made smaller until little more than the fault is left") {
  SiteFactories planted;
  planted.policies = [](const std::string& site) {
    return with_last_writer_wins(std::make_shared<LatestArrivalWins>(site));
  };
  const auto scenario = shipped_scenario();
  const auto found = find(scenario, planted);
  REQUIRE(found);
  ShrinkOptions options;
  options.runs.factories = planted;
  options.runs_max = 120;
  const auto directory = make_work_directory();
  const auto shrunk = shrink(scenario, *found, options, directory, [](const std::string&) {});
  std::filesystem::remove_all(directory);
  CHECK(shrunk.is_smaller);
  CHECK(shrunk.scenario.sites.size() == 2);
  CHECK(shrunk.scenario.updates.size() <= 6);
  CHECK(shrunk.scenario.timeline.size() <= 3);
  REQUIRE_FALSE(shrunk.result.violations.empty());
  CHECK(std::any_of(shrunk.result.violations.begin(), shrunk.result.violations.end(),
                    [&](const auto& each) { return each.check == found->violations.front().check; }));
  CHECK(run_once(shrunk.scenario, found->seed, planted).trace_hash == shrunk.result.trace_hash);
}

// Brings its process down.
class FailingPolicy final : public reconcile::Policy {
 public:
  std::string_view name() const override { return "last-writer-wins"; }
  uint32_t version() const override { return 1; }
  bool decides(log::CellKind) const override { return true; }
  reconcile::Decision resolve(const reconcile::Conflict&) const override {
    base::fail_check("planted", "a check that fails", "planted.cc", 1);
  }
};

TEST_CASE("a seed that brings its process down is reported with what the process said last") {
  SiteFactories planted;
  planted.policies = [](const std::string&) { return with_last_writer_wins(std::make_shared<FailingPolicy>()); };
  const auto found = find(shipped_scenario(), planted);
  REQUIRE(found);
  INFO(found->violations.front().story);
  CHECK(found->violations.front().check == "no crash");
  CHECK(found->violations.front().story.find("a check that fails") != std::string::npos);
}

// Takes for stable whatever is here.
class ImpatientStability final : public reconcile::Stability {
 public:
  using Stability::Stability;
  log::VersionVector stable(const log::VersionVector& own) const override { return own; }
};

TEST_CASE("a fold that ignores stability is found") {
  SiteFactories planted;
  planted.stability = [](const log::SiteId& self, const std::set<std::string>& members, VirtualTime&) {
    return std::make_unique<ImpatientStability>(self, members);
  };
  check_found(shipped_scenario(), planted, {}, {"never early"});
}

// Takes nothing for stable.
class EndlessPatience final : public reconcile::Stability {
 public:
  using Stability::Stability;
  log::VersionVector stable(const log::VersionVector&) const override { return {}; }
};

TEST_CASE("windows that never become empty are found") {
  SiteFactories planted;
  planted.stability = [](const log::SiteId& self, const std::set<std::string>& members, VirtualTime&) {
    return std::make_unique<EndlessPatience>(self, members);
  };
  check_found(shipped_scenario(), planted, {}, {"settling"});
}

Scenario scenario_of(const std::string& text) {
  auto scenario = parse_scenario(text, "s.toml", policies::built_in());
  INFO((scenario.ok() ? "" : scenario.error().message));
  REQUIRE(scenario.ok());
  return std::move(*scenario);
}

const std::string two_sites = "run_s = 20\n[[site]]\nname = \"ams\"\n[[site]]\nname = \"nyc\"\n";

TEST_CASE("disks that say that they have flushed, and have not, are found when power fails") {
  SiteFactories planted;
  planted.disks_lie = true;
  const auto scenario = scenario_of(two_sites + "[random_faults.power-loss]\nper_minute = 30\nfor_s_max = 1\n");
  // What a disk loses may be anything: newer data, older data, or a file that is none.
  check_found(scenario, planted, {}, {"never back", "restart", "no crash", "nothing lost", "no exception", "store"});
}

TEST_CASE("a session that does not send its version along is found to see time go back") {
  SiteFactories planted;
  planted.sessions_forget_versions = true;
  const auto scenario = scenario_of(two_sites +
                                    "[workload]\nsessions = 3\n[[link]]\nbetween = [\"*\", \"*\"]\n"
                                    "latency_ms = 800\n");
  check_found(scenario, planted, {}, {"session promises"});
}

// Decides as add-wins does, but for quads of one property that it drops.
class DropsLefts final : public reconcile::Policy {
 public:
  explicit DropsLefts(std::shared_ptr<const reconcile::Policy> sound) : sound_(std::move(sound)) {}
  std::string_view name() const override { return sound_->name(); }
  uint32_t version() const override { return sound_->version(); }
  bool decides(log::CellKind kind) const override { return sound_->decides(kind); }
  reconcile::Decision resolve(const reconcile::Conflict& conflict) const override {
    if (conflict.cell.property.text() == "urn:sim:left") return {};
    return sound_->resolve(conflict);
  }

 private:
  std::shared_ptr<const reconcile::Policy> sound_;
};

TEST_CASE("a transaction of which a policy takes one half is found by who reads meanwhile") {
  SiteFactories planted;
  planted.policies = [](const std::string&) {
    const auto sound = policies::built_in();
    reconcile::PolicyRegistry registry;
    for (const auto& name : sound.names()) {
      const auto policy = sound.find(name);
      REQUIRE(registry.add(name == "add-wins" ? std::make_shared<DropsLefts>(policy) : policy).ok());
    }
    return registry;
  };
  const auto scenario = scenario_of(two_sites +
                                    "[workload]\nupdates_per_second = 10\nkeys = 1\n[workload.mix]\n"
                                    "insert = 0\nerase = 0\npair = 1\nset_value = 0\nincrement = 0\n"
                                    "bulk = 0\n");
  check_found(scenario, planted, {}, {"whole transactions"});
}

TEST_CASE("a reader that is never given up is found by what the file grows to") {
  SiteFactories planted;
  auto kept = std::make_shared<std::vector<std::unique_ptr<reconcile::SiteSnapshot>>>();
  planted.on_start = [kept](const std::string&, const reconcile::SiteStore& store) {
    kept->push_back(store.snapshot());
  };
  const auto scenario =
      scenario_of(two_sites + "[limits]\ndisk_mib = 12\n[workload]\nupdates_per_second = 20\nbulk_quads = 400\n");
  check_found(scenario, planted, {}, {"disk"});
}

TEST_CASE("an invariant of the user's that a policy does not keep is found, wherever it is to hold") {
  const std::string clients =
      "[workload]\nupdates_per_second = 0\n[[update]]\nsite = \"ams\"\nat_s = 1\n"
      "text = \"INSERT DATA { <urn:a> <urn:flag> 0 }\"\n[[update]]\nsite = \"nyc\"\nat_s = 5\n"
      "text = \"INSERT DATA { <urn:a> <urn:flag> 2 }\"\n";
  for (const char* when : {"end", "always", "in-contact"}) {
    CAPTURE(when);
    const auto invariant = [&](int most) {
      return "[[invariant]]\nname = \"small\"\nwhen = \"" + std::string(when) +
             "\"\nask = \"ASK { FILTER NOT EXISTS { ?s <urn:flag> ?n FILTER(?n > " + std::to_string(most) + ") } }\"\n";
    };
    const auto broken = run_once(scenario_of(two_sites + clients + invariant(1)), 1, {});
    REQUIRE_FALSE(broken.violations.empty());
    CHECK(broken.violations.front().check == "invariant \"small\"");
    CHECK(run_once(scenario_of(two_sites + clients + invariant(2)), 1, {}).violations.empty());
  }
}

// Whoever hears a heartbeat tells all others of it a millisecond later: a path that is faster than the one that the
// changesets take. Shared by the sites of one run.
class HeartbeatRelay : public std::enable_shared_from_this<HeartbeatRelay> {
 public:
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void on_relayed(const reconcile::Heartbeat& heartbeat) = 0;
  };

  explicit HeartbeatRelay(VirtualTime& time) : time_(time) {}
  void join(Listener& listener) { listeners_.push_back(&listener); }
  void leave(Listener& listener) { std::erase(listeners_, &listener); }
  void tell(const reconcile::Heartbeat& heartbeat) {
    if (!told_.insert({heartbeat.site, heartbeat.number}).second) return;
    auto& alarm = alarms_.emplace_back(time_);
    alarm.set(time_.now_us() + 1'000, [this, heartbeat]() {
      for (auto* listener : listeners_) listener->on_relayed(heartbeat);
    });
  }

 private:
  VirtualTime& time_;
  std::vector<Listener*> listeners_;
  std::set<std::pair<log::SiteId, uint64_t>> told_;
  std::list<Alarm> alarms_;
};

class RelayedStability final : public reconcile::Stability, private HeartbeatRelay::Listener {
 public:
  RelayedStability(const log::SiteId& self, const std::set<std::string>& members, std::shared_ptr<HeartbeatRelay> relay,
                   bool takes_at_once)
      : Stability(self, members), relay_(std::move(relay)), takes_at_once_(takes_at_once) {
    relay_->join(*this);
  }
  ~RelayedStability() override { relay_->leave(*this); }

  void on_heartbeat(const reconcile::Heartbeat& heartbeat, const log::VersionVector& own) override {
    take(heartbeat, own);
    relay_->tell(heartbeat);
  }

 private:
  void on_relayed(const reconcile::Heartbeat& heartbeat) override {
    if (heartbeat.site != self_) take(heartbeat, entered_);
  }
  void take(const reconcile::Heartbeat& heartbeat, const log::VersionVector& own) {
    if (takes_at_once_) {
      known_[heartbeat.site.name].merge(heartbeat.vector);
    } else {
      Stability::on_heartbeat(heartbeat, own);
    }
  }

  std::shared_ptr<HeartbeatRelay> relay_;
  bool takes_at_once_;
};

SiteFactories with_relay(bool takes_at_once) {
  SiteFactories factories;
  auto current = std::make_shared<std::weak_ptr<HeartbeatRelay>>();
  factories.stability = [current, takes_at_once](const log::SiteId& self, const std::set<std::string>& members,
                                                 VirtualTime& time) {
    auto relay = current->lock();
    if (!relay) {
      relay = std::make_shared<HeartbeatRelay>(time);
      *current = relay;
    }
    return std::make_unique<RelayedStability>(self, members, std::move(relay), takes_at_once);
  };
  return factories;
}

TEST_CASE("a heartbeat that counts before the changesets that it names are here is found") {
  auto scenario = shipped_scenario();
  // What ams sends to sgp takes long; what nyc hears of ams is soon known everywhere.
  for (auto& link : scenario.links) {
    const bool is_slow = link.one != "nyc" && link.another != "nyc";
    link.options.latency_us = is_slow ? 1'500'000 : 10'000;
  }
  check_found(scenario, with_relay(true), with_relay(false),
              {"never early", "convergence", "whole transactions", "ledger"});
}

TEST_CASE("the same seed gives the same trace, and another seed another one") {
  const auto scenario = shipped_scenario();
  const auto one = run_once(scenario, 7, {});
  const auto again = run_once(scenario, 7, {});
  const auto other = run_once(scenario, 8, {});
  for (const auto& violation : one.violations) FAIL_CHECK(violation.check << "\n" << violation.story);
  CHECK(one.trace_hash == again.trace_hash);
  CHECK(one.messages == again.messages);
  CHECK(one.trace_hash != other.trace_hash);
  CHECK(one.updates >= 200);
  CHECK(one.faults >= 20);
}

}  // namespace
}  // namespace quadrille::sim
