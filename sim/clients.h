// The clients of all sites: they send updates and reads, wait for answers, and remember what they were promised.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/agenda.h"
#include "sim/checks/final_checks.h"
#include "sim/checks/violation.h"
#include "sim/client_templates.h"
#include "sim/read_checks.h"
#include "sim/scenario.h"
#include "sim/simulated_site.h"
#include "sim/trace.h"
#include "sim/virtual_time.h"
#include "sim/workload.h"

namespace quadrille::sim {

class Clients {
 public:
  // All but `report` outlive it.
  Clients(const Scenario& scenario, uint64_t seed, Agenda& agenda, VirtualTime& time, Trace& trace,
          const ReadChecks& reads, std::function<void(checks::Violation)> report);

  // What the scenario begins with, written at `site`: its data, and the accounts.
  base::Result<void> begin_with_data(SimulatedSite& site);
  // Clients of `site` come, by chance and as the scenario says, from `start_us` on.
  void start(SimulatedSite& site, int64_t start_us);
  // Requests that a site which still runs never answered.
  void check_answered(const std::vector<std::unique_ptr<SimulatedSite>>& sites);

  const std::vector<checks::Acknowledged>& acknowledged() const noexcept { return acknowledged_; }
  uint64_t update_count() const noexcept { return update_count_; }  // that were answered
  uint64_t read_count() const noexcept { return read_count_; }
  uint64_t refused_count() const noexcept { return refused_count_; }
  // Each update that was sent, by moment from the start of the run.
  const std::vector<TimedUpdate>& sent() const noexcept { return sent_; }

 private:
  struct Waiting {
    std::string text;
    std::string site;
    uint64_t life = 0;
    uint64_t pauses = 0;
    int64_t sent_us = 0;
    bool may_be_refused = false;
  };

  void schedule_update(SimulatedSite& site, int64_t until_us);
  void schedule_read(SimulatedSite& site, int64_t until_us);
  void schedule_template(SimulatedSite& site, TemplateClients& clients, int64_t until_us);
  void send(SimulatedSite& site, const std::string& text, bool may_be_refused = false);
  bool is_of_quad_cell(const model::TermQuad& quad) const;
  void on_answer(SimulatedSite& site, uint64_t number, const base::Result<reconcile::CommitReceipt>& outcome);
  void on_refused(SimulatedSite& site, const Waiting& waiting, const base::Error& error);
  void check_promptness(const SimulatedSite& site, const Waiting& waiting);

  const Scenario& scenario_;
  uint64_t seed_;
  Agenda& agenda_;
  VirtualTime& time_;
  Trace& trace_;
  const ReadChecks& reads_;
  std::function<void(checks::Violation)> report_;
  std::map<std::string, Workload> workloads_;  // by site
  std::list<TemplateClients> template_clients_;
  std::map<uint64_t, Waiting> waiting_;  // by number of request
  std::vector<checks::Acknowledged> acknowledged_;
  std::vector<TimedUpdate> sent_;
  int64_t start_us_ = 0;
  uint64_t requests_sent_ = 0;
  uint64_t update_count_ = 0;
  uint64_t read_count_ = 0;
  uint64_t refused_count_ = 0;
};

}  // namespace quadrille::sim
