#include "sim/clients.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/checks/story.h"

namespace quadrille::sim {

Clients::Clients(const Scenario& scenario, uint64_t seed, Agenda& agenda, VirtualTime& time, Trace& trace,
                 const ReadChecks& reads, std::function<void(checks::Violation)> report)
    : scenario_(scenario), agenda_(agenda), time_(time), trace_(trace), reads_(reads), report_(std::move(report)) {
  for (const auto& site : scenario.sites) {
    workloads_.emplace(site.name,
                       Workload(scenario.workload, site.name, RandomStream(seed, "clients of " + site.name)));
  }
}

void Clients::open_accounts(SimulatedSite& site) { send(site, sim::open_accounts(scenario_.workload.keys)); }

void Clients::start(SimulatedSite& site, int64_t until_us) {
  schedule_update(site, until_us);
  schedule_read(site, until_us);
}

void Clients::schedule_update(SimulatedSite& site, int64_t until_us) {
  const int64_t at = time_.now_us() + workloads_.at(site.name()).until_next_update_us();
  if (at >= until_us) return;
  agenda_.add(at, [this, &site, until_us]() {
    // Drawn also where nobody is there to ask, so that a fault does not shift what is asked later.
    auto request = workloads_.at(site.name()).next_update();
    std::erase_if(request.assertions, [this](const auto& assertion) { return !is_of_quad_cell(assertion.quad); });
    if (site.is_running() && !site.is_paused()) send(site, std::move(request));
    schedule_update(site, until_us);
  });
}

// Only for those is each assertion logged: another cell logs what it saw and left, if that differs.
bool Clients::is_of_quad_cell(const model::TermQuad& quad) const {
  const reconcile::PolicyRegistry none;
  return reconcile::find_rule(scenario_.assignment, none, "", quad.predicate.text()).kind == log::CellKind::Quad;
}

void Clients::schedule_read(SimulatedSite& site, int64_t until_us) {
  const int64_t at = time_.now_us() + workloads_.at(site.name()).until_next_read_us();
  if (at >= until_us) return;
  agenda_.add(at, [this, &site, until_us]() {
    if (site.is_running() && !site.is_paused()) {
      ++read_count_;
      if (auto violation = reads_.read(site)) report_(std::move(*violation));
    }
    schedule_read(site, until_us);
  });
}

void Clients::send(SimulatedSite& site, Request request) {
  const uint64_t number = ++requests_sent_;
  trace_.event(site.name(), fmt::format("is asked, request {}: {}", number, request.text));
  const std::string text = request.text;
  waiting_.emplace(number,
                   Waiting{std::move(request), site.name(), site.life_number(), site.pause_count(), time_.now_us()});
  site.site().update(text, [this, &site, number](base::Result<reconcile::CommitReceipt> outcome) {
    on_answer(site, number, outcome);
  });
}

void Clients::on_answer(SimulatedSite& site, uint64_t number, const base::Result<reconcile::CommitReceipt>& outcome) {
  const auto place = waiting_.find(number);
  if (place == waiting_.end()) {
    return report_({"answers", fmt::format("  {} answered request {} twice", site.name(), number)});
  }
  const auto waiting = std::move(place->second);
  waiting_.erase(place);
  if (!outcome.ok()) {
    return report_({"answers", fmt::format("  {} refused a valid update: {}\n    {}", site.name(),
                                           outcome.error().message, waiting.request.text)});
  }
  ++update_count_;
  const auto& header = outcome->header;
  trace_.event(site.name(), fmt::format("answers request {}: {}", number,
                                        header.id.seq == 0 ? "nothing to do" : checks::text_of(header.id)));
  if (header.id.seq != 0) {
    acknowledged_.push_back({header.id, waiting.request.text, waiting.request.assertions});
  } else if (!waiting.request.assertions.empty()) {
    report_({"nothing lost",
             fmt::format("  {} logged nothing for an update that asserts: {}", site.name(), waiting.request.text)});
  }
  // A group in front, its own, and a burst that did not fit into it: a site that waits for another one takes longer.
  const int64_t limit_us = 8 * scenario_.commit_us_max + 1'000;
  const int64_t took_us = time_.now_us() - waiting.sent_us;
  if (site.pause_count() == waiting.pauses && took_us > limit_us) {
    report_(
        {"local updates never wait",
         fmt::format("  {} took {:.3f} s to answer an update, at most {:.3f} s were expected: {}", site.name(),
                     static_cast<double>(took_us) / 1e6, static_cast<double>(limit_us) / 1e6, waiting.request.text)});
  }
}

void Clients::check_answered(const std::vector<std::unique_ptr<SimulatedSite>>& sites) {
  for (const auto& [number, waiting] : waiting_) {
    for (const auto& site : sites) {
      if (site->name() != waiting.site || !site->is_running() || site->life_number() != waiting.life) continue;
      report_(
          {"local updates never wait", fmt::format("  {} never answered an update of {:.3f} s: {}", waiting.site,
                                                   static_cast<double>(waiting.sent_us) / 1e6, waiting.request.text)});
    }
  }
}

}  // namespace quadrille::sim
