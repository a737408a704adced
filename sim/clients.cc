#include "sim/clients.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/io/input_stream.h"
#include "replica/site/load.h"
#include "sim/checks/story.h"
#include "sim/member_changes.h"

namespace quadrille::sim {

Clients::Clients(const Scenario& scenario, uint64_t seed, Agenda& agenda, VirtualTime& time, Trace& trace,
                 const ReadChecks& reads, std::function<void(checks::Violation)> report)
    : scenario_(scenario),
      seed_(seed),
      agenda_(agenda),
      time_(time),
      trace_(trace),
      reads_(reads),
      report_(std::move(report)) {
  for (const auto& site : scenario.sites) {
    workloads_.emplace(site.name, Workload(scenario.workload, site.name, seed));
  }
}

base::Result<void> Clients::begin_with_data(SimulatedSite& site) {
  if (!scenario_.data.empty()) {
    std::vector<load::Document> documents;
    const auto format = io::rdf_format_by_file_name(scenario_.data);
    if (!format)
      return base::Error{base::ErrorKind::InvalidInput, scenario_.data + ": no format of RDF by its name", {}};
    documents.push_back({.name = scenario_.data,
                         .format = *format,
                         .base_iri = {},
                         .graph = {},
                         .bytes = {},
                         .open = [name = scenario_.data]() { return io::open_input(name); }});
    QUADRILLE_ASSIGN(auto parsed, replica::ParsedDocuments::parse(documents, site.random(), {}));
    auto shared = std::make_shared<const replica::ParsedDocuments>(std::move(parsed));
    site.site().write(
        [shared](model::QuadTarget& target) -> base::Result<void> {
          QUADRILLE_TRY(shared->write_to(target));
          return {};
        },
        [this](const auto& outcome) {
          if (!outcome.ok()) report_({"data", fmt::format("  {}: {}", scenario_.data, outcome.error().message)});
        });
  }
  if (scenario_.workload.opens_accounts) send(site, open_accounts(scenario_.workload.keys));
  return {};
}

void Clients::start(SimulatedSite& site, int64_t start_us) {
  start_us_ = start_us;
  const int64_t until_us = start_us + scenario_.run_us;
  schedule_update(site, until_us);
  schedule_read(site, until_us);
  for (const auto& setup : scenario_.clients) {
    const auto& names = setup.sites;
    if (!names.empty() && std::find(names.begin(), names.end(), site.name()) == names.end()) continue;
    const auto purpose = fmt::format("clients {} of {}", &setup - scenario_.clients.data(), site.name());
    auto& clients = template_clients_.emplace_back(setup, site.name(), RandomStream(seed_, purpose));
    const int64_t end_us = setup.until_us > 0 ? start_us + setup.until_us : until_us;
    agenda_.add(start_us + setup.from_us,
                [this, &site, &clients, end_us]() { schedule_template(site, clients, end_us); });
  }
  for (const auto& update : scenario_.updates) {
    if (update.site != site.name()) continue;
    agenda_.add(start_us + update.at_us, [this, &site, &update]() { send(site, update.text, true); });
  }
}

void Clients::schedule_update(SimulatedSite& site, int64_t until_us) {
  const int64_t at = time_.now_us() + workloads_.at(site.name()).until_next_update_us();
  if (at >= until_us) return;
  agenda_.add(at, [this, &site, until_us]() {
    // Drawn also where nobody is there to ask, so that a fault does not shift what is asked later.
    send(site, workloads_.at(site.name()).next_update());
    schedule_update(site, until_us);
  });
}

void Clients::schedule_template(SimulatedSite& site, TemplateClients& clients, int64_t until_us) {
  const int64_t at = time_.now_us() + clients.until_next_update_us();
  if (at >= until_us) return;
  agenda_.add(at, [this, &site, &clients, until_us]() {
    send(site, clients.next_update(), true);
    schedule_template(site, clients, until_us);
  });
}

// Only for those is each assertion logged: another cell logs what it saw and left, if that differs.
bool Clients::is_of_quad_cell(const model::TermQuad& quad) const {
  const reconcile::PolicyRegistry none;
  const std::string graph = quad.graph ? std::string(quad.graph->text()) : std::string();
  return reconcile::find_rule(scenario_.assignment, none, graph, quad.predicate.text()).kind == log::CellKind::Quad;
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

// Where nobody is there to ask, it is lost.
void Clients::send(SimulatedSite& site, const std::string& text, bool may_be_refused) {
  if (!site.is_running() || site.is_paused()) return;
  const uint64_t number = ++requests_sent_;
  trace_.event(site.name(), fmt::format("is asked, request {}: {}", number, text));
  if (start_us_ > 0) sent_.push_back({site.name(), time_.now_us() - start_us_, text});
  // A site on its way in may have become a member by the time that it answers.
  may_be_refused = may_be_refused || !may_write(site);
  waiting_.emplace(number,
                   Waiting{text, site.name(), site.life_number(), site.pause_count(), time_.now_us(), may_be_refused});
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
  if (!outcome.ok()) return on_refused(site, waiting, outcome.error());
  ++update_count_;
  const auto& header = outcome->header;
  trace_.event(site.name(), fmt::format("answers request {}: {}", number,
                                        header.id.seq == 0 ? "nothing to do" : checks::text_of(header.id)));
  auto assertions = assertions_of(waiting.text);
  std::erase_if(assertions, [this](const auto& assertion) { return !is_of_quad_cell(assertion.quad); });
  if (header.id.seq != 0) {
    acknowledged_.push_back({header.id, waiting.text, std::move(assertions)});
  } else if (!assertions.empty()) {
    report_(
        {"nothing lost", fmt::format("  {} logged nothing for an update that asserts: {}", site.name(), waiting.text)});
  }
  check_promptness(site, waiting);
}

// A site that is out, or on its way in, takes no updates; and what a user's own update may leave, policies say.
void Clients::on_refused(SimulatedSite& site, const Waiting& waiting, const base::Error& error) {
  ++refused_count_;
  trace_.event(site.name(), "refuses: " + error.message);
  if (waiting.may_be_refused || !may_write(site)) return;
  report_(
      {"answers", fmt::format("  {} refused a valid update: {}\n    {}", site.name(), error.message, waiting.text)});
}

// A group in front, its own, and a burst that did not fit into it: a site that waits for another one takes longer.
void Clients::check_promptness(const SimulatedSite& site, const Waiting& waiting) {
  const int64_t limit_us = 8 * scenario_.commit_us_max + 1'000;
  const int64_t took_us = time_.now_us() - waiting.sent_us;
  if (site.pause_count() != waiting.pauses || took_us <= limit_us) return;
  report_({"local updates never wait",
           fmt::format("  {} took {:.3f} s to answer an update, at most {:.3f} s were expected: {}", site.name(),
                       static_cast<double>(took_us) / 1e6, static_cast<double>(limit_us) / 1e6, waiting.text)});
}

void Clients::check_answered(const std::vector<std::unique_ptr<SimulatedSite>>& sites) {
  for (const auto& [number, waiting] : waiting_) {
    for (const auto& site : sites) {
      if (site->name() != waiting.site || !site->is_running() || site->life_number() != waiting.life) continue;
      report_({"local updates never wait", fmt::format("  {} never answered an update of {:.3f} s: {}", waiting.site,
                                                       static_cast<double>(waiting.sent_us) / 1e6, waiting.text)});
    }
  }
}

}  // namespace quadrille::sim
