// What goes wrong: the plan of a seed, and its execution.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/agenda.h"
#include "sim/member_changes.h"
#include "sim/network.h"
#include "sim/random_stream.h"
#include "sim/scenario.h"
#include "sim/simulated_site.h"
#include "sim/trace.h"

namespace quadrille::sim {

// All faults of a run, timeline and chance together, by moment; moments count from the start of the run.
std::vector<Fault> plan_faults(const Scenario& scenario, RandomStream& random);

class FaultInjector {
 public:
  // In the order of the scenario.
  using Sites = std::vector<std::unique_ptr<SimulatedSite>>;

  // All outlive it. `restart` starts a site that is down, and checks what it comes back with.
  FaultInjector(Sites& sites, Network& network, MemberChanges& members, Agenda& agenda, Trace& trace, VirtualTime& time,
                RandomStream power, std::function<void(SimulatedSite&)> restart);

  // Puts the plan on the agenda, with `start_us` as moment 0.
  void schedule(const std::vector<Fault>& plan, int64_t start_us);
  // Ends all that goes wrong: ways are mended, paused sites go on, sites that are down start.
  void heal();
  // Power failed in the middle of a commit of the site: on its event.
  void on_power_loss(SimulatedSite& site);
  // Whether nothing is cut, down or paused.
  bool is_all_well() const;
  // What happened, in order: as planned, also where healing ended it before. Of faults that began only.
  struct Happened {
    Fault fault;
    int64_t from_us = 0;  // of the simulation
  };
  const std::vector<Happened>& happened() const noexcept { return happened_; }
  // How often each kind really happened: a crash of a site that is down, for one, does not.
  const std::map<FaultKind, uint64_t>& counts() const noexcept { return counts_; }

 private:
  SimulatedSite& site(const std::string& name);
  void begin(const Fault& fault);
  void begin_partition(const Fault& fault);
  void begin_cut(const Fault& fault);
  void begin_crash(const Fault& fault);
  void begin_power_loss(const Fault& fault);
  void begin_restore(const Fault& fault);
  void note(const Fault& fault) {
    ++counts_[fault.kind];
    happened_.push_back({fault, time_.now_us()});
  }
  void restore_now(const std::string& site);
  void restart_later(SimulatedSite& victim, int64_t duration_us);
  void begin_pause(const Fault& fault);
  void lose_connections(const Fault& fault);
  void jump_clock(const Fault& fault);
  void after(int64_t duration_us, std::function<void()> what);

  Sites& sites_;
  Network& network_;
  MemberChanges& members_;
  Agenda& agenda_;
  Trace& trace_;
  VirtualTime& time_;
  RandomStream power_;
  std::function<void(SimulatedSite&)> restart_;
  std::map<std::string, int64_t> power_returns_after_us_;  // by site
  std::map<FaultKind, uint64_t> counts_;
  std::vector<Happened> happened_;
  std::map<std::string, std::string> restores_to_come_;  // by site: the sponsor
  int cuts_ = 0;                                         // partitions and cuts that last
};

}  // namespace quadrille::sim
