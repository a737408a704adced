#include "sim/shrink.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sim/faults.h"

namespace quadrille::sim {
namespace {

class Shrinker {
 public:
  Shrinker(Shrunk best, std::string check, uint64_t seed, const ShrinkOptions& options,
           const std::filesystem::path& directory, const std::function<void(const std::string&)>& progress)
      : best_(std::move(best)),
        check_(std::move(check)),
        seed_(seed),
        options_(options),
        directory_(directory),
        progress_(progress) {}

  Shrunk run() {
    for (size_t before = size() + 1; size() < before && !is_exhausted();) {
      before = size();
      try_one([](Scenario& scenario) { scenario.workload.sessions = 0; });
      try_one([](Scenario& scenario) { scenario.workload.opens_accounts = false; });
      drop_sites();
      drop_some([](Scenario & scenario) -> auto& { return scenario.updates; });
      drop_some([](Scenario & scenario) -> auto& { return scenario.timeline; });
      end_early();
      progress_(fmt::format("{} runs: {} sites, {} faults, {} updates", best_.runs, best_.scenario.sites.size(),
                            best_.scenario.timeline.size(), best_.scenario.updates.size()));
    }
    return std::move(best_);
  }

 private:
  size_t size() const {
    const auto& scenario = best_.scenario;
    return scenario.sites.size() + scenario.timeline.size() + scenario.updates.size() + scenario.workload.sessions;
  }
  bool is_exhausted() const { return best_.runs >= options_.runs_max; }

  bool fails_so(const SeedResult& result) const {
    return std::any_of(result.violations.begin(), result.violations.end(),
                       [&](const auto& each) { return each.check == check_; });
  }

  // As many at a time as there are jobs; the first that fails counts, so that it does not matter how many there are.
  bool try_all(const std::vector<Scenario>& candidates) {
    const size_t step = std::max<size_t>(1, options_.runs.jobs);
    for (size_t i = 0; i < candidates.size() && !is_exhausted(); i += step) {
      const std::vector<Scenario> some(
          candidates.begin() + static_cast<ptrdiff_t>(i),
          candidates.begin() + static_cast<ptrdiff_t>(std::min(i + step, candidates.size())));
      auto results = run_scenarios(some, seed_, options_.runs, directory_);
      for (size_t k = 0; k < some.size(); ++k) {
        ++best_.runs;
        if (!fails_so(results[k])) continue;
        best_.scenario = some[k];
        best_.result = std::move(results[k]);
        return true;
      }
    }
    return false;
  }

  bool try_one(const std::function<void(Scenario&)>& change) {
    auto candidate = best_.scenario;
    change(candidate);
    return try_all({candidate});
  }

  // Leaves out ever smaller parts of a list.
  template <class ListOf>
  void drop_some(ListOf list_of) {
    for (size_t part = std::max<size_t>(1, list_of(best_.scenario).size() / 2); part > 0 && !is_exhausted();
         part /= 2) {
      size_t at = 0;
      while (at < list_of(best_.scenario).size() && !is_exhausted()) {
        auto candidate = best_.scenario;
        auto& list = list_of(candidate);
        const auto first = list.begin() + static_cast<ptrdiff_t>(at);
        list.erase(first, first + static_cast<ptrdiff_t>(std::min(part, list.size() - at)));
        if (!is_allowed(candidate) || !try_all({candidate})) at += part;
      }
    }
  }

  // A site that joins must still do so by its own fault, or it would be a founder all at once.
  bool is_allowed(const Scenario& candidate) const {
    return std::all_of(candidate.sites.begin(), candidate.sites.end(), [&](const auto& site) {
      return is_founder(candidate, site.name) == is_founder(best_.scenario, site.name);
    });
  }

  static bool is_connected(const Scenario& scenario) {
    std::set<std::string> reached = {scenario.sites.front().name};
    for (size_t before = 0; before < reached.size();) {
      before = reached.size();
      for (const auto& link : scenario.links) {
        if (reached.contains(link.one)) reached.insert(link.another);
        if (reached.contains(link.another)) reached.insert(link.one);
      }
    }
    return reached.size() == scenario.sites.size();
  }

  void drop_sites() {
    std::vector<Scenario> candidates;
    for (const auto& site : best_.scenario.sites) {
      auto candidate = best_.scenario;
      const auto is_it = [&](const std::string& name) { return name == site.name; };
      std::erase_if(candidate.sites, [&](const auto& each) { return is_it(each.name); });
      std::erase_if(candidate.links, [&](const auto& each) { return is_it(each.one) || is_it(each.another); });
      std::erase_if(candidate.updates, [&](const auto& each) { return is_it(each.site); });
      std::erase_if(candidate.timeline,
                    [&](const Fault& fault) { return std::any_of(fault.sites.begin(), fault.sites.end(), is_it); });
      if (candidate.sites.size() >= 2 && is_connected(candidate) && is_allowed(candidate)) {
        candidates.push_back(std::move(candidate));
      }
    }
    try_all(candidates);
  }

  // Nothing happens after the last update and the last fault.
  void end_early() {
    int64_t last_us = 0;
    for (const auto& update : best_.scenario.updates) last_us = std::max(last_us, update.at_us);
    for (const auto& fault : best_.scenario.timeline) last_us = std::max(last_us, fault.at_us + fault.duration_us);
    const int64_t run_us = std::max<int64_t>(1'000'000, last_us + 1'000'000);
    if (run_us < best_.scenario.run_us) try_one([run_us](Scenario& scenario) { scenario.run_us = run_us; });
  }

  Shrunk best_;
  std::string check_;
  uint64_t seed_;
  const ShrinkOptions& options_;
  const std::filesystem::path& directory_;
  const std::function<void(const std::string&)>& progress_;
};

}  // namespace

Scenario written_out(const Scenario& scenario, uint64_t seed, const std::vector<TimedUpdate>& sent) {
  Scenario out = scenario;
  RandomStream random(seed, "faults");
  out.timeline = plan_faults(scenario, random);
  out.fault_rates.clear();
  for (auto& link : out.links) link.losses_per_minute = 0;
  // A process that ended did not tell what was sent: its clients stay as they are.
  if (sent.empty()) return out;
  out.clients.clear();
  out.workload.updates_per_second = 0;
  out.updates = sent;
  return out;
}

Shrunk shrink(const Scenario& scenario, const SeedResult& found, const ShrinkOptions& options,
              const std::filesystem::path& directory, const std::function<void(const std::string&)>& progress) {
  Shrunk as_it_was{scenario, found, 0, false};
  ShrinkOptions telling = options;
  telling.runs.sent_updates = true;
  const auto told = run_scenarios({scenario}, found.seed, telling.runs, directory);
  if (told.front().violations.empty()) return as_it_was;
  const std::string check = told.front().violations.front().check;
  Shrunk best{written_out(scenario, found.seed, told.front().sent_updates), {}, 2, true};
  best.result = run_scenarios({best.scenario}, found.seed, options.runs, directory).front();
  const auto& violations = best.result.violations;
  const bool is_the_same =
      std::any_of(violations.begin(), violations.end(), [&](const auto& each) { return each.check == check; });
  if (!is_the_same) return as_it_was;
  return Shrinker(std::move(best), check, found.seed, options, directory, progress).run();
}

}  // namespace quadrille::sim
