// What goes wrong: the plan of a seed, and its execution.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/agenda.h"
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
  FaultInjector(Sites& sites, Network& network, Agenda& agenda, Trace& trace, VirtualTime& time,
                std::function<void(SimulatedSite&)> restart);

  // Puts the plan on the agenda, with `start_us` as moment 0.
  void schedule(const std::vector<Fault>& plan, int64_t start_us);
  // Ends all that goes wrong: ways are mended, paused sites go on, sites that are down start.
  void heal();
  // How often each kind really happened: a crash of a site that is down, for one, does not.
  const std::map<FaultKind, uint64_t>& counts() const noexcept { return counts_; }

 private:
  SimulatedSite& site(const std::string& name);
  void begin(const Fault& fault);
  void begin_partition(const Fault& fault);
  void begin_cut(const Fault& fault);
  void begin_crash(const Fault& fault);
  void begin_pause(const Fault& fault);
  void lose_connections(const Fault& fault);
  void jump_clock(const Fault& fault);
  void after(int64_t duration_us, std::function<void()> what);

  Sites& sites_;
  Network& network_;
  Agenda& agenda_;
  Trace& trace_;
  VirtualTime& time_;
  std::function<void(SimulatedSite&)> restart_;
  std::map<FaultKind, uint64_t> counts_;
};

}  // namespace quadrille::sim
