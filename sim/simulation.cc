#include "sim/simulation.h"

#include <fmt/format.h>
#include <kj/exception.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "policies/built_in.h"
#include "sim/agenda.h"
#include "sim/checks/final_checks.h"
#include "sim/checks/history.h"
#include "sim/checks/oracle.h"
#include "sim/clients.h"
#include "sim/faults.h"
#include "sim/network.h"
#include "sim/progress_checks.h"
#include "sim/random_stream.h"
#include "sim/read_checks.h"
#include "sim/simulated_site.h"
#include "sim/trace.h"

namespace quadrille::sim {
namespace {

constexpr int64_t meeting_us = 5'000'000;      // before the run: the sites meet, and the accounts are opened
constexpr int64_t settle_step_us = 1'000'000;  // how often the end is looked for
constexpr size_t violations_max = 5;           // more tell nothing new

class Simulation {
 public:
  Simulation(const Scenario& scenario, uint64_t seed, const std::filesystem::path& directory,
             const SiteFactories& factories, std::function<void(std::string_view)> print)
      : scenario_(scenario),
        seed_(seed),
        scope_(loop_),
        trace_(time_, std::move(print)),
        network_(time_, trace_, seed),
        policies_(factories.known_policies ? factories.known_policies() : policies::built_in()),
        reads_(scenario.assignment, policies_),
        progress_(time_, trace_),
        clients_(scenario, seed, agenda_, time_, trace_, reads_, [this](auto violation) { report(violation); }),
        faults_(sites_, network_, agenda_, trace_, time_, [this](SimulatedSite& site) { start(site); }) {
    for (const auto& link : scenario.links) network_.add_link(link.one, link.another, link.options);
    make_sites(directory, factories);
  }

  SeedResult run() {
    const auto problem = kj::runCatchingExceptions([this]() {
      meet();
      if (violations_.empty()) rage();
      if (violations_.empty()) settle();
      if (violations_.empty()) check_end();
    });
    KJ_IF_MAYBE (exception, problem) {
      report({"no exception", fmt::format("  {}", exception->getDescription().cStr())});
    }
    return result();
  }

 private:
  void make_sites(const std::filesystem::path& directory, const SiteFactories& factories) {
    RandomStream random(seed_, "who dials whom");
    std::map<std::string, std::vector<std::string>> dials;
    for (const auto& link : scenario_.links) {
      // One side, the other, or both: each is a way to set up real sites.
      const uint64_t who = random.below(3);
      if (who != 1) dials[link.one].push_back(link.another);
      if (who != 0) dials[link.another].push_back(link.one);
    }
    std::vector<std::string> members;
    for (const auto& site : scenario_.sites) members.push_back(site.name);
    std::sort(members.begin(), members.end());
    RandomStream incarnations(seed_, "incarnations");
    for (const auto& site : scenario_.sites) {
      SimulatedSite::Parts parts{.time = time_,
                                 .trace = trace_,
                                 .network = network_,
                                 .seed = seed_,
                                 .clock_skew_ms = site.clock_skew_ms,
                                 .delays = {scenario_.commit_us_min, scenario_.commit_us_max},
                                 .sync_options = {},
                                 .policies = factories.policies ? factories.policies(site.name) : policies_,
                                 .make_stability = {},
                                 .on_commit = [this](SimulatedSite& where) { look_at(where); },
                                 .dials = dials[site.name]};
      parts.sync_options.batch_bytes_max = scenario_.batch_bytes;
      if (factories.stability) {
        parts.make_stability = [this, make = factories.stability](const auto& self, const auto& names) {
          return make(self, names, time_);
        };
      }
      sites_.push_back(std::make_unique<SimulatedSite>(
          std::move(parts), directory / site.name,
          reconcile::SiteIdentity{{site.name, incarnations.next()}, "simulation", members, scenario_.assignment}));
    }
  }

  void report(checks::Violation violation) {
    trace_.event("", fmt::format("violation of \"{}\"", violation.check));
    if (violations_.size() < violations_max) violations_.push_back(std::move(violation));
  }

  void look_at(const SimulatedSite& site) {
    if (auto violation = progress_.look_at(site)) report(std::move(*violation));
  }

  void start(SimulatedSite& site) {
    if (const auto started = site.start(); !started.ok()) {
      return report({"restart", fmt::format("  {} does not start: {}", site.name(), started.error().message)});
    }
    look_at(site);
  }

  void pass(int64_t us) { agenda_.run_until(time_.now_us() + us, time_, scope_); }

  // The run itself stops at the first violation: what comes after tells of its consequences only.
  void pass_while_well(int64_t us) {
    const int64_t until = time_.now_us() + us;
    while (violations_.empty() && time_.now_us() < until) pass(std::min<int64_t>(100'000, until - time_.now_us()));
  }

  void meet() {
    for (auto& site : sites_) start(*site);
    if (!violations_.empty()) return;
    pass_while_well(meeting_us / 2);
    clients_.open_accounts(*sites_.front());
    pass_while_well(meeting_us / 2);
  }

  void rage() {
    RandomStream random(seed_, "faults");
    const int64_t start_us = time_.now_us();
    faults_.schedule(plan_faults(scenario_, random), start_us);
    for (auto& site : sites_) clients_.start(*site, start_us + scenario_.run_us);
    pass_while_well(scenario_.run_us);
    agenda_.clear();
  }

  void settle() {
    faults_.heal();
    const int64_t healed_us = time_.now_us();
    while (violations_.empty() && time_.now_us() < healed_us + scenario_.quiet_us) {
      pass(settle_step_us);
      if (is_settled()) {
        settled_after_us_ = time_.now_us() - healed_us;
        return;
      }
    }
    if (violations_.empty()) {
      report({"settling", fmt::format("  {:.0f} s after all was healed:\n{}",
                                      static_cast<double>(time_.now_us() - healed_us) / 1e6, describe_sites())});
    }
  }

  bool is_settled() {
    std::optional<log::VersionVector> first;
    for (const auto& site : sites_) {
      const auto snapshot = site->store().snapshot();
      const auto vector = snapshot->version_vector();
      if (!first) first = vector;
      if (vector != *first || snapshot->window_cell_count() > 0) return false;
    }
    return true;
  }

  std::string describe_sites() {
    std::string text;
    for (const auto& site : sites_) {
      const auto snapshot = site->store().snapshot();
      text += fmt::format("  {} has {}, {} cells in its window", site->name(),
                          log::to_string(snapshot->version_vector()), snapshot->window_cell_count());
      for (const auto& name : site->site().sync().waiting_for()) text += ", waits for " + name;
      for (const auto& peer : site->site().sync().peers()) {
        constexpr const char* states[] = {"disconnected", "greeting", "connected", "refused"};
        text += fmt::format("\n    {} {}{}{}", peer.site ? peer.site->name : peer.address,
                            states[static_cast<size_t>(peer.state)], peer.trouble.empty() ? "" : ": ", peer.trouble);
      }
      text += "\n";
    }
    return text;
  }

  void check_end() {
    checks::Violations found;
    clients_.check_answered(sites_);
    for (auto& site : sites_) {
      if (auto violation = reads_.read(*site)) found.push_back(std::move(*violation));
    }
    std::vector<checks::SiteView> views;
    for (const auto& site : sites_) views.push_back({site->name(), &site->store()});
    const checks::Oracle oracle(progress_.history(), scenario_.assignment, policies_);
    checks::check_nothing_lost(views, progress_.history(), clients_.acknowledged(), found);
    checks::check_convergence(views, oracle, found);
    checks::check_settled(views, found);
    checks::check_conflict_records(views, oracle, found);
    checks::check_stores(views, found);
    for (auto& violation : found) report(std::move(violation));
    conflicts_ = oracle.conflicts().size();
  }

  SeedResult result() {
    SeedResult result;
    result.seed = seed_;
    result.simulated_s = static_cast<double>(time_.now_us()) / 1e6;
    result.updates = clients_.update_count();
    result.reads = clients_.read_count();
    result.changesets = progress_.history().changesets().size();
    result.conflicts = conflicts_;
    for (const auto& [kind, count] : faults_.counts()) {
      result.faults += count;
      result.faults_by_kind[std::string(name_of(kind))] = count;
    }
    const auto traffic = network_.traffic();
    result.messages = traffic.messages;
    result.bytes = traffic.bytes;
    result.settled_after_s = static_cast<double>(settled_after_us_) / 1e6;
    result.trace_hash = trace_.hash();
    result.violations = violations_;
    if (!violations_.empty()) {
      for (const auto& event : trace_.recent()) result.last_events += event + "\n";
    }
    return result;
  }

  const Scenario& scenario_;
  uint64_t seed_;
  VirtualTime time_;
  kj::EventLoop loop_{time_.port()};
  kj::WaitScope scope_;
  Trace trace_;
  Network network_;
  Agenda agenda_;
  reconcile::PolicyRegistry policies_;  // as they should be, for the oracle
  ReadChecks reads_;
  ProgressChecks progress_;
  FaultInjector::Sites sites_;
  Clients clients_;
  FaultInjector faults_;
  checks::Violations violations_;
  uint64_t conflicts_ = 0;
  int64_t settled_after_us_ = 0;
};

}  // namespace

SeedResult run_seed(const Scenario& scenario, uint64_t seed, const std::filesystem::path& directory,
                    const SiteFactories& factories, std::function<void(std::string_view line)> print) {
  const auto began = std::chrono::steady_clock::now();
  std::filesystem::remove_all(directory);
  std::optional<SeedResult> result;
  {
    Simulation simulation(scenario, seed, directory, factories, std::move(print));
    result = simulation.run();
  }
  std::filesystem::remove_all(directory);
  result->real_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return std::move(*result);
}

}  // namespace quadrille::sim
