#include "sim/simulation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <kj/exception.h>
#include <sys/resource.h>

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
#include "sim/checks/story.h"
#include "sim/clients.h"
#include "sim/faults.h"
#include "sim/invariants.h"
#include "sim/member_changes.h"
#include "sim/network.h"
#include "sim/progress_checks.h"
#include "sim/random_stream.h"
#include "sim/read_checks.h"
#include "sim/sessions.h"
#include "sim/simulated_site.h"
#include "sim/trace.h"

namespace quadrille::sim {
namespace {

constexpr int64_t meeting_us = 5'000'000;      // before the run: the sites meet, and the accounts are opened
constexpr int64_t settle_step_us = 1'000'000;  // how often the end is looked for
constexpr int64_t step_us = 250'000;           // how often members that come and go are looked after
constexpr int64_t look_us = 1'000'000;         // how often invariants and samples are
constexpr size_t violations_max = 5;           // more tell nothing new

class Simulation {
 public:
  Simulation(const Scenario& scenario, uint64_t seed, const std::filesystem::path& directory,
             const SiteFactories& factories, const RunWishes& wishes)
      : scenario_(scenario),
        seed_(seed),
        directory_(directory),
        wishes_(wishes),
        scope_(loop_),
        trace_(time_, wishes.print),
        network_(time_, trace_, seed),
        policies_(factories.known_policies ? factories.known_policies() : policies::built_in()),
        reads_(scenario.assignment, policies_),
        invariants_(scenario.invariants),
        progress_(time_, trace_),
        members_(sites_, seed, agenda_, time_, trace_,
                 {.start = [this](SimulatedSite& site) { start(site); },
                  .on_new_life = [this](const auto& site, const auto& has,
                                        uint64_t position) { progress_.begin_life(site, has, position); }}),
        clients_(scenario, seed, agenda_, time_, trace_, reads_, [this](auto violation) { report(violation); }),
        sessions_(scenario, seed,
                  {.agenda = agenda_,
                   .time = time_,
                   .trace = trace_,
                   .sites = sites_,
                   .members = members_,
                   .report = [this](auto violation) { report(violation); },
                   .forget_versions = factories.sessions_forget_versions}),
        faults_(sites_, network_, members_, agenda_, trace_, time_, RandomStream(seed, "when power fails"),
                [this](SimulatedSite& site) { start(site); }) {
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
  // One side, the other, or both dial: each is a way to set up real sites. Who joins dials.
  std::map<std::string, std::vector<std::string>> draw_dials() {
    RandomStream random(seed_, "who dials whom");
    std::map<std::string, std::vector<std::string>> dials;
    for (const auto& link : scenario_.links) {
      const uint64_t who = random.below(3);
      if (who != 1 || !is_founder(scenario_, link.one)) dials[link.one].push_back(link.another);
      if (who != 0 || !is_founder(scenario_, link.another)) dials[link.another].push_back(link.one);
    }
    return dials;
  }

  void make_sites(const std::filesystem::path& directory, const SiteFactories& factories) {
    auto dials = draw_dials();
    std::vector<std::string> founders;
    for (const auto& site : scenario_.sites) {
      if (is_founder(scenario_, site.name)) {
        founders.push_back(site.name);
      } else {
        members_.set_out(site.name);
      }
    }
    std::sort(founders.begin(), founders.end());
    RandomStream incarnations(seed_, "incarnations");
    for (const auto& site : scenario_.sites) {
      sites_.push_back(std::make_unique<SimulatedSite>(
          parts_of(site, factories, dials[site.name]), directory / site.name,
          reconcile::SiteIdentity{{site.name, incarnations.next()}, "simulation", founders, scenario_.assignment}));
    }
  }

  SimulatedSite::Parts parts_of(const SiteSetup& site, const SiteFactories& factories,
                                const std::vector<std::string>& dials) {
    SimulatedSite::Parts parts{
        .time = time_,
        .trace = trace_,
        .network = network_,
        .seed = seed_,
        .clock_skew_ms = site.clock_skew_ms,
        .delays = {scenario_.commit_us_min, scenario_.commit_us_max},
        .sync_options = {},
        .policies = factories.policies ? factories.policies(site.name) : policies_,
        .make_stability = {},
        .on_commit = [this](SimulatedSite& where) { look_at_commit(where); },
        .on_power_loss = [this](SimulatedSite& where) { faults_.on_power_loss(where); },
        .on_start = {},
        .dials = dials,
        .flushes = may_lose_power(scenario_),
        .disk_lies = factories.disks_lie,
    };
    parts.sync_options.batch_bytes_max = scenario_.batch_bytes;
    if (factories.stability) {
      parts.make_stability = [this, make = factories.stability](const auto& self, const auto& names) {
        return make(self, names, time_);
      };
    }
    if (factories.on_start) {
      parts.on_start = [on_start = factories.on_start](const SimulatedSite& where) {
        on_start(where.name(), where.store());
      };
    }
    return parts;
  }

  void report(checks::Violation violation) {
    // The same of the same seed, wherever it runs.
    const std::string place = directory_.string() + "/";
    for (size_t at = violation.story.find(place); at != std::string::npos; at = violation.story.find(place)) {
      violation.story.erase(at, place.size());
    }
    trace_.event("", fmt::format("violation of \"{}\"", violation.check));
    if (violations_.size() < violations_max) violations_.push_back(std::move(violation));
  }

  void look_at(const SimulatedSite& site) {
    if (auto violation = progress_.look_at(site)) report(std::move(*violation));
  }

  void look_at_commit(SimulatedSite& site) {
    look_at(site);
    if (!invariants_.has(Invariant::When::Always) || !begun_ || !may_write(site)) return;
    if (auto violation = invariants_.ask_all(site, Invariant::When::Always, since_start_us())) {
      report(std::move(*violation));
    }
  }

  void start(SimulatedSite& site) {
    if (const auto started = site.start(); !started.ok()) {
      return report({"restart", fmt::format("  {} does not start: {}", site.name(), started.error().message)});
    }
    look_at(site);
  }

  void pass(int64_t us) { agenda_.run_until(time_.now_us() + us, time_, scope_); }

  int64_t since_start_us() const { return std::max<int64_t>(0, time_.now_us() - start_us_); }

  // The run itself stops at the first violation: what comes after tells of its consequences only.
  void pass_while_well(int64_t us) {
    const int64_t until = time_.now_us() + us;
    while (violations_.empty() && time_.now_us() < until) {
      pass(std::min<int64_t>(step_us, until - time_.now_us()));
      look_around();
    }
  }

  // Every now and then, between events.
  void look_around() {
    members_.step();
    if (time_.now_us() < next_look_us_) return;
    next_look_us_ = time_.now_us() + look_us;
    if (wishes_.record) take_samples();
    if (begun_ && invariants_.has(Invariant::When::InContact) && faults_.is_all_well() && have_all_the_same()) {
      ask_everywhere(Invariant::When::InContact);
    }
  }

  void ask_everywhere(Invariant::When when) {
    for (auto* site : find_members()) {
      if (auto violation = invariants_.ask_all(*site, when, since_start_us())) return report(std::move(*violation));
    }
  }

  void meet() {
    SimulatedSite* first = nullptr;
    for (auto& site : sites_) {
      if (members_.is_out(site->name())) continue;
      start(*site);
      if (!first) first = site.get();
    }
    if (!violations_.empty()) return;
    pass_while_well(meeting_us / 2);
    if (const auto begun = clients_.begin_with_data(*first); !begun.ok()) {
      return report({"data", "  " + begun.error().message});
    }
    pass_while_well(meeting_us / 2);
  }

  void rage() {
    RandomStream random(seed_, "faults");
    start_us_ = time_.now_us();
    begun_ = true;
    faults_.schedule(plan_faults(scenario_, random), start_us_);
    for (auto& site : sites_) clients_.start(*site, start_us_);
    sessions_.start(start_us_ + scenario_.run_us);
    pass_while_well(scenario_.run_us);
    agenda_.clear();
  }

  void settle() {
    faults_.heal();
    healed_us_ = time_.now_us();
    while (violations_.empty() && time_.now_us() < healed_us_ + scenario_.quiet_us) {
      pass_while_well(settle_step_us);
      if (violations_.empty() && is_settled()) {
        settled_us_ = time_.now_us();
        return;
      }
    }
    if (violations_.empty()) {
      report({"settling", fmt::format("  {:.0f} s after all was healed:\n{}",
                                      static_cast<double>(time_.now_us() - healed_us_) / 1e6, describe_sites())});
    }
  }

  // Those that are members and take updates, as they know it themselves.
  std::vector<SimulatedSite*> find_members() {
    std::vector<SimulatedSite*> found;
    for (auto& site : sites_) {
      if (site->is_running() && may_write(*site)) found.push_back(site.get());
    }
    return found;
  }

  bool have_all_the_same() {
    const auto members = find_members();
    return std::all_of(members.begin(), members.end(), [&](const SimulatedSite* each) {
      return each->store().snapshot()->version_vector() == members[0]->store().snapshot()->version_vector();
    });
  }

  bool is_settled() {
    if (members_.is_under_way() || !have_all_the_same()) return false;
    const auto members = find_members();
    std::vector<std::string> names;
    for (const auto* each : members) names.push_back(each->name());
    std::sort(names.begin(), names.end());
    return !members.empty() && std::all_of(members.begin(), members.end(), [&](const SimulatedSite* each) {
      const auto membership = each->store().membership();
      return membership.names() == names && membership.pending().empty() &&
             each->store().snapshot()->window_cell_count() == 0;
    });
  }

  std::string describe_sites() {
    std::string text = members_.describe();
    for (const auto& site : sites_) {
      if (!site->is_running()) {
        text += fmt::format("  {} is not running\n", site->name());
        continue;
      }
      const auto snapshot = site->store().snapshot();
      const auto membership = site->store().membership();
      text += fmt::format("  {}{} has {}, {} cells in its window; members {}", site->name(),
                          may_write(*site) ? "" : ", which is out,", log::to_string(snapshot->version_vector()),
                          snapshot->window_cell_count(), fmt::join(membership.names(), " "));
      for (const auto& name : site->site().sync().waiting_for()) text += ", waits for " + name;
      for (const auto& pending : membership.pending()) {
        text +=
            fmt::format("\n    the eviction of {} waits for {}", pending.site.name, fmt::join(pending.waits_for, " "));
      }
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
    std::vector<checks::SiteView> views;
    for (auto* site : find_members()) {
      if (auto violation = reads_.read(*site)) found.push_back(std::move(*violation));
      views.push_back({site->name(), &site->store()});
    }
    const auto vector = views.front().store->snapshot()->version_vector();
    const auto history = progress_.history().up_to(vector);
    const checks::Oracle oracle(history, scenario_.assignment, policies_);
    // Who is no member was evicted, or let in by somebody who was and did not know it yet.
    const auto membership = views.front().store->membership();
    const auto may_be_gone = [&](const log::SiteId& origin) { return !membership.is_member(origin); };
    checks::check_nothing_lost(views, progress_.history(), clients_.acknowledged(), may_be_gone, found);
    checks::check_convergence(views, oracle, found);
    checks::check_settled(views, found);
    checks::check_conflict_records(views, oracle, found);
    checks::check_stores(views, found);
    check_bounds(found);
    for (auto& violation : found) report(std::move(violation));
    ask_everywhere(Invariant::When::End);
    conflicts_ = oracle.conflicts();
  }

  void check_bounds(checks::Violations& found) {
    for (const auto& site : sites_) {
      const uint64_t bytes = site->file_bytes();
      disk_bytes_ = std::max(disk_bytes_, bytes);
      if (bytes <= scenario_.limits.disk_bytes) continue;
      found.push_back({"disk", fmt::format("  the store of {} takes {} MiB; at most {} were expected", site->name(),
                                           bytes >> 20, scenario_.limits.disk_bytes >> 20)});
    }
    const uint64_t memory = memory_bytes();
    if (memory <= scenario_.limits.memory_bytes) return;
    found.push_back({"memory", fmt::format("  the simulation took {} MiB; at most {} were expected", memory >> 20,
                                           scenario_.limits.memory_bytes >> 20)});
  }

  // The most that this process ever had.
  static uint64_t memory_bytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
  }

  double seconds(int64_t us) const { return static_cast<double>(us - start_us_) / 1e6; }

  void take_samples() {
    if (!begun_) return;
    for (auto& site : sites_) {
      RunRecord::Sample sample{.at_s = seconds(time_.now_us()),
                               .site = site->name(),
                               .is_running = site->is_running(),
                               .lacks = 0,
                               .staleness_s = 0,
                               .window_cells = 0};
      if (site->is_running()) {
        const auto snapshot = site->store().snapshot();
        const auto vector = snapshot->version_vector();
        sample.window_cells = snapshot->window_cell_count();
        for (const auto* changeset : progress_.history().in_order()) {
          const auto& id = changeset->header.id;
          if (vector.covers(id.origin, id.seq)) continue;
          if (sample.lacks++ == 0) sample.staleness_s = static_cast<double>(time_.now_us() - changeset->at_us) / 1e6;
        }
      }
      record_.samples.push_back(std::move(sample));
    }
  }

  RunRecord finish_record() {
    for (const auto& site : scenario_.sites) record_.sites.push_back(site.name);
    record_.run_s = seconds(healed_us_ > 0 ? healed_us_ : time_.now_us());
    record_.settled_s = settled_us_ > 0 ? seconds(settled_us_) : 0;
    record_.end_s = seconds(time_.now_us());
    for (const auto& [fault, from_us] : faults_.happened()) {
      const double until_s = std::min(record_.run_s, seconds(from_us + fault.duration_us));
      record_.spans.push_back({std::string(name_of(fault.kind)), fault.sites, seconds(from_us),
                               has_duration(fault.kind) ? until_s : seconds(from_us),
                               fault.kind == FaultKind::ClockJump ? fmt::format("{:+} ms", fault.jump_ms) : ""});
    }
    for (const auto* each : progress_.history().in_order()) {
      record_.transactions.push_back({checks::text_of(each->header.id), each->header.id.origin.name,
                                      seconds(each->at_us), each->header.operation_count});
    }
    for (const auto& each : conflicts_) record_.conflicts.push_back(conflict_of(each));
    for (const auto& [pair, traffic] : network_.traffic_by_link()) {
      record_.links.push_back({pair.first, pair.second, traffic.messages, traffic.bytes});
    }
    add_verdicts();
    return std::move(record_);
  }

  RunRecord::Conflict conflict_of(const reconcile::ConflictRecord& record) const {
    const int64_t at_us = (record.time.physical_ms - SimulatedWallClock::start_ms) * 1000;
    RunRecord::Conflict conflict{
        seconds(at_us),
        model::to_ntriples(record.cell.subject) + " " + model::to_ntriples(record.cell.property),
        checks::text_of(record.chosen),
        record.policy,
        {}};
    if (record.cell.object) conflict.cell += " " + model::to_ntriples(*record.cell.object);
    for (const auto& each : record.candidates) {
      conflict.candidates.push_back(checks::text_of(each.id) + ": " + checks::text_of(each.left));
    }
    return conflict;
  }

  // All checks that there are, in the order in which they are made.
  void add_verdicts() {
    std::vector<std::string> names = {"answers",
                                      "local updates never wait",
                                      "reads",
                                      "never back",
                                      "causal order",
                                      "never early",
                                      "restart",
                                      "session promises",
                                      "whole transactions",
                                      "one value",
                                      "ledger",
                                      "settling",
                                      "nothing lost",
                                      "convergence",
                                      "windows empty",
                                      "conflict records",
                                      "store",
                                      "disk",
                                      "memory"};
    for (const auto& each : scenario_.invariants) names.push_back(fmt::format("invariant \"{}\"", each.name));
    for (const auto& each : violations_) {
      if (std::find(names.begin(), names.end(), each.check) == names.end()) names.push_back(each.check);
    }
    for (const auto& name : names) {
      const bool holds =
          std::none_of(violations_.begin(), violations_.end(), [&](const auto& each) { return each.check == name; });
      record_.verdicts.push_back({name, holds});
    }
  }

  SeedResult result() {
    SeedResult result;
    result.seed = seed_;
    result.simulated_s = static_cast<double>(time_.now_us()) / 1e6;
    result.updates = clients_.update_count();
    result.reads = clients_.read_count();
    result.changesets = progress_.history().changesets().size();
    result.conflicts = conflicts_.size();
    result.refused = clients_.refused_count();
    result.visits = sessions_.visit_count();
    result.memory_bytes = memory_bytes();
    result.disk_bytes = disk_bytes_;
    for (const auto& [kind, count] : faults_.counts()) {
      result.faults += count;
      result.faults_by_kind[std::string(name_of(kind))] = count;
    }
    const auto traffic = network_.traffic();
    result.messages = traffic.messages;
    result.bytes = traffic.bytes;
    if (settled_us_ > 0) result.settled_after_s = static_cast<double>(settled_us_ - healed_us_) / 1e6;
    result.trace_hash = trace_.hash();
    result.violations = violations_;
    if (!violations_.empty()) {
      for (const auto& event : trace_.recent()) result.last_events += event + "\n";
    }
    if (wishes_.sent_updates) result.sent_updates = clients_.sent();
    if (wishes_.record) result.record = finish_record();
    return result;
  }

  const Scenario& scenario_;
  uint64_t seed_;
  const std::filesystem::path& directory_;
  const RunWishes& wishes_;
  VirtualTime time_;
  kj::EventLoop loop_{time_.port()};
  kj::WaitScope scope_;
  Trace trace_;
  Network network_;
  Agenda agenda_;
  reconcile::PolicyRegistry policies_;  // as they should be, for the oracle
  ReadChecks reads_;
  Invariants invariants_;
  ProgressChecks progress_;
  FaultInjector::Sites sites_;
  MemberChanges members_;
  Clients clients_;
  Sessions sessions_;
  FaultInjector faults_;
  checks::Violations violations_;
  std::vector<reconcile::ConflictRecord> conflicts_;
  RunRecord record_;
  uint64_t disk_bytes_ = 0;
  bool begun_ = false;      // the run itself
  int64_t start_us_ = 0;    // of it
  int64_t healed_us_ = 0;   // 0: not yet
  int64_t settled_us_ = 0;  // 0: not yet
  int64_t next_look_us_ = 0;
};

}  // namespace

SeedResult run_seed(const Scenario& scenario, uint64_t seed, const std::filesystem::path& directory,
                    const SiteFactories& factories, const RunWishes& wishes) {
  const auto began = std::chrono::steady_clock::now();
  std::filesystem::remove_all(directory);
  std::optional<SeedResult> result;
  {
    Simulation simulation(scenario, seed, directory, factories, wishes);
    result = simulation.run();
  }
  std::filesystem::remove_all(directory);
  result->real_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return std::move(*result);
}

}  // namespace quadrille::sim
