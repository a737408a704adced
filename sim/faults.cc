#include "sim/faults.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/base/check.h"

namespace quadrille::sim {
namespace {

// Sites that a fault by chance hits.
std::vector<std::string> draw_sites(FaultKind kind, const Scenario& scenario, RandomStream& random) {
  if (kind != FaultKind::OneWayCut && kind != FaultKind::ConnectionLoss) {
    return {scenario.sites[random.below(scenario.sites.size())].name};
  }
  const auto& link = scenario.links[random.below(scenario.links.size())];
  if (random.chance(0.5)) return {link.one, link.another};
  return {link.another, link.one};
}

void plan_by_chance(const FaultRate& rate, const Scenario& scenario, RandomStream& random, std::vector<Fault>& plan) {
  if (rate.per_minute <= 0) return;
  const double mean_us = 60e6 / rate.per_minute;
  for (double at = random.exponential(mean_us); at < static_cast<double>(scenario.run_us);
       at += random.exponential(mean_us)) {
    plan.push_back({.kind = rate.kind,
                    .at_us = static_cast<int64_t>(at),
                    .duration_us = random.between(rate.duration_us_min, rate.duration_us_max),
                    .sites = draw_sites(rate.kind, scenario, random),
                    .jump_ms = random.between(-rate.jump_ms_max, rate.jump_ms_max)});
  }
}

}  // namespace

std::vector<Fault> plan_faults(const Scenario& scenario, RandomStream& random) {
  auto plan = scenario.timeline;
  for (const auto& rate : scenario.fault_rates) plan_by_chance(rate, scenario, random, plan);
  std::stable_sort(plan.begin(), plan.end(), [](const Fault& a, const Fault& b) { return a.at_us < b.at_us; });
  return plan;
}

FaultInjector::FaultInjector(Sites& sites, Network& network, Agenda& agenda, Trace& trace, VirtualTime& time,
                             std::function<void(SimulatedSite&)> restart)
    : sites_(sites), network_(network), agenda_(agenda), trace_(trace), time_(time), restart_(std::move(restart)) {}

void FaultInjector::schedule(const std::vector<Fault>& plan, int64_t start_us) {
  for (const auto& fault : plan) {
    agenda_.add(start_us + fault.at_us, [this, fault]() { begin(fault); });
  }
}

void FaultInjector::heal() {
  trace_.event("", "all heals");
  network_.mend_all();
  for (auto& each : sites_) {
    if (!each->is_running()) {
      restart_(*each);
    } else if (each->is_paused()) {
      each->resume();
    }
  }
}

SimulatedSite& FaultInjector::site(const std::string& name) {
  const auto found = std::find_if(sites_.begin(), sites_.end(), [&](const auto& each) { return each->name() == name; });
  QUADRILLE_CHECK(found != sites_.end(), "faults name sites of the scenario");
  return **found;
}

void FaultInjector::after(int64_t duration_us, std::function<void()> what) {
  agenda_.add(time_.now_us() + duration_us, std::move(what));
}

void FaultInjector::begin(const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::Partition: return begin_partition(fault);
    case FaultKind::OneWayCut: return begin_cut(fault);
    case FaultKind::Crash: return begin_crash(fault);
    case FaultKind::Pause: return begin_pause(fault);
    case FaultKind::ConnectionLoss: return lose_connections(fault);
    case FaultKind::ClockJump: return jump_clock(fault);
  }
}

void FaultInjector::begin_partition(const Fault& fault) {
  trace_.event(fmt::format("{}", fmt::join(fault.sites, ",")), "is cut off");
  ++counts_[fault.kind];
  std::vector<std::pair<std::string, std::string>> ways;
  const auto is_inside = [&](const std::string& name) {
    return std::find(fault.sites.begin(), fault.sites.end(), name) != fault.sites.end();
  };
  for (const auto& inside : fault.sites) {
    for (const auto& other : sites_) {
      if (is_inside(other->name())) continue;
      ways.emplace_back(inside, other->name());
      ways.emplace_back(other->name(), inside);
    }
  }
  for (const auto& [from, to] : ways) network_.cut(from, to);
  after(fault.duration_us, [this, ways, sites = fault.sites]() {
    trace_.event(fmt::format("{}", fmt::join(sites, ",")), "is reachable again");
    for (const auto& [from, to] : ways) network_.mend(from, to);
  });
}

void FaultInjector::begin_cut(const Fault& fault) {
  trace_.event(fault.sites[0], "cannot reach " + fault.sites[1]);
  ++counts_[fault.kind];
  network_.cut(fault.sites[0], fault.sites[1]);
  after(fault.duration_us, [this, fault]() {
    trace_.event(fault.sites[0], "can reach " + fault.sites[1] + " again");
    network_.mend(fault.sites[0], fault.sites[1]);
  });
}

void FaultInjector::begin_crash(const Fault& fault) {
  auto& victim = site(fault.sites[0]);
  if (!victim.is_running()) return;
  ++counts_[fault.kind];
  victim.crash();
  after(fault.duration_us, [this, &victim, life = victim.life_number()]() {
    if (!victim.is_running() && victim.life_number() == life) restart_(victim);
  });
}

void FaultInjector::begin_pause(const Fault& fault) {
  auto& victim = site(fault.sites[0]);
  if (!victim.is_running() || victim.is_paused()) return;
  ++counts_[fault.kind];
  victim.pause();
  after(fault.duration_us, [&victim, pause = victim.pause_count(), life = victim.life_number()]() {
    const bool is_the_same = victim.is_running() && victim.life_number() == life && victim.pause_count() == pause;
    if (is_the_same && victim.is_paused()) victim.resume();
  });
}

void FaultInjector::lose_connections(const Fault& fault) {
  const size_t lost = network_.drop_connections(fault.sites[0], fault.sites[1]);
  if (lost == 0) return;
  ++counts_[fault.kind];
  trace_.event(fault.sites[0], fmt::format("loses {} connections with {}", lost, fault.sites[1]));
}

void FaultInjector::jump_clock(const Fault& fault) {
  trace_.event(fault.sites[0], fmt::format("its clock jumps by {} ms", fault.jump_ms));
  ++counts_[fault.kind];
  site(fault.sites[0]).wall_clock().jump(fault.jump_ms);
}

}  // namespace quadrille::sim
