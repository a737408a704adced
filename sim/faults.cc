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
                    .at_us_max = static_cast<int64_t>(at),
                    .duration_us = random.between(rate.duration_us_min, rate.duration_us_max),
                    .sites = draw_sites(rate.kind, scenario, random),
                    .jump_ms = random.between(-rate.jump_ms_max, rate.jump_ms_max),
                    .backup_at_us = 0});
  }
}

// Connections that a link loses.
void plan_losses(const LinkSetup& link, int64_t run_us, RandomStream& random, std::vector<Fault>& plan) {
  if (link.losses_per_minute <= 0) return;
  const double mean_us = 60e6 / link.losses_per_minute;
  for (double at = random.exponential(mean_us); at < static_cast<double>(run_us); at += random.exponential(mean_us)) {
    Fault fault;
    fault.kind = FaultKind::ConnectionLoss;
    fault.at_us = static_cast<int64_t>(at);
    fault.sites = {link.one, link.another};
    plan.push_back(std::move(fault));
  }
}

}  // namespace

std::vector<Fault> plan_faults(const Scenario& scenario, RandomStream& random) {
  auto plan = scenario.timeline;
  for (auto& fault : plan) {
    if (fault.at_us_max > fault.at_us) fault.at_us = random.between(fault.at_us, fault.at_us_max);
    fault.at_us_max = fault.at_us;
  }
  for (const auto& link : scenario.links) plan_losses(link, scenario.run_us, random, plan);
  for (const auto& rate : scenario.fault_rates) plan_by_chance(rate, scenario, random, plan);
  std::stable_sort(plan.begin(), plan.end(), [](const Fault& a, const Fault& b) { return a.at_us < b.at_us; });
  return plan;
}

FaultInjector::FaultInjector(Sites& sites, Network& network, MemberChanges& members, Agenda& agenda, Trace& trace,
                             VirtualTime& time, RandomStream power, std::function<void(SimulatedSite&)> restart)
    : sites_(sites),
      network_(network),
      members_(members),
      agenda_(agenda),
      trace_(trace),
      time_(time),
      power_(power),
      restart_(std::move(restart)) {}

void FaultInjector::schedule(const std::vector<Fault>& plan, int64_t start_us) {
  for (const auto& fault : plan) {
    agenda_.add(start_us + fault.at_us, [this, fault]() { begin(fault); });
    if (fault.kind != FaultKind::Restore) continue;
    agenda_.add(start_us + fault.backup_at_us, [this, name = fault.sites[0]]() { members_.back_up(name); });
  }
}

void FaultInjector::heal() {
  trace_.event("", "all heals");
  network_.mend_all();
  cuts_ = 0;
  while (!restores_to_come_.empty()) restore_now(std::string(restores_to_come_.begin()->first));
  for (auto& each : sites_) {
    if (each->is_losing_power()) each->finish_power_loss();
    if (!each->is_running() && !members_.is_out(each->name())) {
      restart_(*each);
    } else if (each->is_running() && each->is_paused()) {
      each->resume();
    }
  }
}

bool FaultInjector::is_all_well() const {
  return cuts_ == 0 && std::all_of(sites_.begin(), sites_.end(), [this](const auto& each) {
           return members_.is_out(each->name()) ||
                  (each->is_running() && !each->is_paused() && !each->is_losing_power());
         });
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
    case FaultKind::PowerLoss: return begin_power_loss(fault);
    case FaultKind::Pause: return begin_pause(fault);
    case FaultKind::ConnectionLoss: return lose_connections(fault);
    case FaultKind::ClockJump: return jump_clock(fault);
    case FaultKind::Join:
      if (members_.join(fault.sites[0], fault.sites[1])) note(fault);
      return;
    case FaultKind::Evict:
      if (members_.evict(fault.sites[0], fault.sites[1])) note(fault);
      return;
    case FaultKind::Restore: return begin_restore(fault);
  }
}

void FaultInjector::begin_partition(const Fault& fault) {
  trace_.event(fmt::format("{}", fmt::join(fault.sites, ",")), "is cut off");
  note(fault);
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
  ++cuts_;
  after(fault.duration_us, [this, ways, sites = fault.sites]() {
    --cuts_;
    trace_.event(fmt::format("{}", fmt::join(sites, ",")), "is reachable again");
    for (const auto& [from, to] : ways) network_.mend(from, to);
  });
}

void FaultInjector::begin_cut(const Fault& fault) {
  trace_.event(fault.sites[0], "cannot reach " + fault.sites[1]);
  note(fault);
  network_.cut(fault.sites[0], fault.sites[1]);
  ++cuts_;
  after(fault.duration_us, [this, fault]() {
    --cuts_;
    trace_.event(fault.sites[0], "can reach " + fault.sites[1] + " again");
    network_.mend(fault.sites[0], fault.sites[1]);
  });
}

void FaultInjector::restart_later(SimulatedSite& victim, int64_t duration_us) {
  after(duration_us, [this, &victim, life = victim.life_number()]() {
    const bool is_the_same = !victim.is_running() && victim.life_number() == life;
    if (is_the_same && !members_.is_out(victim.name())) restart_(victim);
  });
}

void FaultInjector::begin_crash(const Fault& fault) {
  auto& victim = site(fault.sites[0]);
  if (!victim.is_running()) return;
  note(fault);
  victim.crash();
  restart_later(victim, fault.duration_us);
}

// In the middle of one of the next commits; if none comes soon, between two.
void FaultInjector::begin_power_loss(const Fault& fault) {
  auto& victim = site(fault.sites[0]);
  if (!victim.is_running() || victim.is_losing_power()) return;
  note(fault);
  constexpr uint64_t calls_max = 24;  // a small commit makes about ten
  constexpr int64_t patience_us = 1'000'000;
  power_returns_after_us_[victim.name()] = fault.duration_us;
  victim.lose_power_after(power_.below(calls_max));
  after(patience_us, [this, &victim, life = victim.life_number()]() {
    if (victim.is_losing_power() && victim.life_number() == life) {
      victim.finish_power_loss();
      restart_later(victim, power_returns_after_us_[victim.name()]);
    }
  });
}

// When the objects of the process go does not matter, and depends on what else is on the agenda; when it is back does.
void FaultInjector::on_power_loss(SimulatedSite& victim) {
  const int64_t back_us = time_.now_us() + power_returns_after_us_[victim.name()];
  after(0, [this, &victim, back_us, life = victim.life_number()]() {
    if (!victim.is_losing_power() || victim.life_number() != life) return;
    victim.finish_power_loss();
    restart_later(victim, back_us - time_.now_us());
  });
}

void FaultInjector::begin_restore(const Fault& fault) {
  if (!members_.lose_disk(fault.sites[0])) return;
  note(fault);
  restores_to_come_[fault.sites[0]] = fault.sites[1];
  after(fault.duration_us, [this, name = fault.sites[0]]() { restore_now(name); });
}

void FaultInjector::restore_now(const std::string& name) {
  const auto found = restores_to_come_.find(name);
  if (found == restores_to_come_.end()) return;
  members_.begin_restore(name, found->second);
  restores_to_come_.erase(found);
}

void FaultInjector::begin_pause(const Fault& fault) {
  auto& victim = site(fault.sites[0]);
  if (!victim.is_running() || victim.is_paused()) return;
  note(fault);
  victim.pause();
  after(fault.duration_us, [&victim, pause = victim.pause_count(), life = victim.life_number()]() {
    const bool is_the_same = victim.is_running() && victim.life_number() == life && victim.pause_count() == pause;
    if (is_the_same && victim.is_paused()) victim.resume();
  });
}

void FaultInjector::lose_connections(const Fault& fault) {
  const size_t lost = network_.drop_connections(fault.sites[0], fault.sites[1]);
  if (lost == 0) return;
  note(fault);
  trace_.event(fault.sites[0], fmt::format("loses {} connections with {}", lost, fault.sites[1]));
}

void FaultInjector::jump_clock(const Fault& fault) {
  trace_.event(fault.sites[0], fmt::format("its clock jumps by {} ms", fault.jump_ms));
  note(fault);
  site(fault.sites[0]).wall_clock().jump(fault.jump_ms);
}

}  // namespace quadrille::sim
