#include "sim/random_scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "sim/random_stream.h"
#include "sim/sessions.h"
#include "sim/workload.h"

namespace quadrille::sim {
namespace {

constexpr std::array site_names = {"ams", "nyc", "sgp", "tyo", "lon", "zrh"};
constexpr size_t faults_min = 26;  // some find nothing to break: a site that is down cannot crash
constexpr size_t faults_max = 40;

// Makes one scenario, a part after the other, each from a stream of its own.
class Maker {
 public:
  explicit Maker(uint64_t seed) : seed_(seed) {}

  Scenario make() {
    scenario_.name = fmt::format("fuzz-{}", seed_);
    choose_size();
    choose_sites();
    choose_links();
    choose_policies();
    choose_workload();
    choose_faults();
    if (members_change_) choose_members();
    std::stable_sort(scenario_.timeline.begin(), scenario_.timeline.end(),
                     [](const Fault& a, const Fault& b) { return a.at_us < b.at_us; });
    return std::move(scenario_);
  }

 private:
  void choose_size() {
    RandomStream random(seed_, "fuzz: size");
    scenario_.run_us = random.between(14'000'000, 26'000'000);
    scenario_.quiet_us = 240'000'000;
    scenario_.commit_us_min = random.between(0, 500);
    scenario_.commit_us_max = scenario_.commit_us_min + random.between(100, 20'000);
    constexpr std::array<uint64_t, 3> batches = {1, 8, 256};
    scenario_.batch_bytes = batches[random.below(batches.size())] * 1024;
    members_change_ = random.chance(0.35);
  }

  void choose_sites() {
    RandomStream random(seed_, "fuzz: sites");
    constexpr std::array<size_t, 8> counts = {2, 3, 3, 3, 3, 4, 4, 5};
    founders_ = std::max<size_t>(counts[random.below(counts.size())], members_change_ ? 3 : 2);
    newcomers_ = members_change_ && founders_ < 5 ? random.below(2) : 0;
    for (size_t i = 0; i < founders_ + newcomers_; ++i) {
      const int64_t skew_ms = random.chance(0.5) ? 0 : random.between(-300, 300);
      scenario_.sites.push_back({site_names[i], skew_ms});
    }
  }

  LinkOptions choose_link(RandomStream& random) {
    LinkOptions options;
    options.latency_us = random.chance(0.2) ? random.between(100, 2'000) : random.between(5'000, 200'000);
    options.jitter_us = random.between(0, options.latency_us / 2);
    options.jitter = random.chance(0.3) ? LinkOptions::Jitter::LongTailed : LinkOptions::Jitter::Uniform;
    options.bytes_per_second = random.chance(0.3) ? 64 * 1024 : 12'500'000;
    options.window_bytes = random.chance(0.3) ? 4 * 1024 : 256 * 1024;
    options.give_up_us = random.between(2'000'000, 15'000'000);
    return options;
  }

  // All with all, a ring, a hub, or a line; where members change all with all, so that nobody is left alone.
  void choose_links() {
    RandomStream random(seed_, "fuzz: links");
    const uint64_t shape = members_change_ ? 0 : random.below(5);
    const size_t count = scenario_.sites.size();
    for (size_t i = 0; i < count; ++i) {
      for (size_t j = i + 1; j < count; ++j) {
        const bool is_ring = j == i + 1 || (i == 0 && j == count - 1);
        const bool is_there =
            shape <= 1 || (shape == 2 && is_ring) || (shape == 3 && i == 0) || (shape == 4 && j == i + 1);
        if (is_there) {
          scenario_.links.push_back({scenario_.sites[i].name, scenario_.sites[j].name, choose_link(random), 0});
        }
      }
    }
  }

  template <size_t count>
  static std::string one_of(const std::array<std::string_view, count>& texts, RandomStream& random) {
    return std::string(texts[random.below(count)]);
  }

  void add_rule(const char* property, log::CellKind cells, const std::string& policy) {
    reconcile::AssignmentRule rule;
    rule.property.text = property;
    rule.cells = cells;
    rule.policy = policy;
    scenario_.assignment.rules.push_back(std::move(rule));
  }

  void choose_policies() {
    RandomStream random(seed_, "fuzz: policies");
    constexpr std::array<std::string_view, 5> for_quads = {"add-wins", "delete-wins", "last-writer-wins",
                                                           "first-writer-wins", "site-priority(nyc, ams)"};
    constexpr std::array<std::string_view, 7> for_names = {"last-writer-wins", "first-writer-wins", "max",  "min",
                                                           "site-priority",    "keep-all",          "union"};
    scenario_.assignment.default_policy = one_of(for_quads, random);
    for (const char* property : {iri_holds, iri_lends}) {
      if (random.chance(0.6)) add_rule(property, log::CellKind::Quad, one_of(for_quads, random));
    }
    if (random.chance(0.7)) {
      const std::string pairs = one_of(for_quads, random);
      add_rule(iri_left, log::CellKind::Quad, pairs);
      add_rule(iri_right, log::CellKind::Quad, pairs);
    } else if (random.chance(0.5)) {
      for (const char* property : {iri_left, iri_right}) {
        add_rule(property, log::CellKind::Record, "last-writer-wins");
        scenario_.assignment.rules.back().group = "urn:sim:pair";
      }
    }
    if (random.chance(0.85)) add_rule(iri_name, log::CellKind::Value, one_of(for_names, random));
    if (random.chance(0.9))
      add_rule(iri_balance, log::CellKind::Value, random.chance(0.8) ? "sum" : "last-writer-wins");
    add_rule(iri_visit, log::CellKind::Quad, "add-wins");
  }

  void choose_workload() {
    RandomStream random(seed_, "fuzz: workload");
    auto& setup = scenario_.workload;
    const double seconds = static_cast<double>(scenario_.run_us) / 1e6;
    // Of each site, some of the time nobody is there to ask.
    setup.updates_per_second = static_cast<double>(random.between(330, 460)) / seconds / static_cast<double>(founders_);
    setup.reads_per_second = 0.3;
    setup.keys = static_cast<uint64_t>(random.between(1, 10));
    setup.bulk_quads = static_cast<uint64_t>(random.between(20, 200));
    setup.sessions = random.below(3);
    for (double* weight :
         {&setup.mix.insert, &setup.mix.erase, &setup.mix.pair, &setup.mix.set_value, &setup.mix.increment}) {
      *weight = random.chance(0.15) ? 0 : random.fraction() * 4;
    }
    setup.mix.insert += 0.5;
    setup.mix.bulk = random.fraction() * 0.2;
  }

  int64_t moment(RandomStream& random) const { return random.between(0, scenario_.run_us - 1); }

  void choose_faults() {
    RandomStream random(seed_, "fuzz: faults");
    // Each seed has a temper: some kinds come often, others not at all.
    constexpr std::array kinds = {FaultKind::Partition, FaultKind::OneWayCut, FaultKind::Crash,
                                  FaultKind::PowerLoss, FaultKind::Pause,     FaultKind::ConnectionLoss,
                                  FaultKind::ClockJump};
    std::array<double, kinds.size()> weights{};
    double sum = 0;
    for (double& weight : weights) sum += weight = random.chance(0.25) ? 0.1 : random.fraction() + 0.3;
    const auto count = static_cast<size_t>(random.between(faults_min, faults_max));
    for (size_t i = 0; i < count; ++i) {
      double draw = random.fraction() * sum;
      size_t kind = 0;
      while (kind + 1 < kinds.size() && (draw -= weights[kind]) >= 0) ++kind;
      add_fault(kinds[kind], random);
    }
  }

  void add_fault(FaultKind kind, RandomStream& random) {
    Fault fault;
    fault.kind = kind;
    fault.at_us = fault.at_us_max = moment(random);
    // Most are short; some last for much of the run.
    const int64_t longest = random.chance(0.15) ? scenario_.run_us / 2 : 3'000'000;
    if (has_duration(kind)) fault.duration_us = random.between(50'000, longest);
    if (kind == FaultKind::ClockJump) fault.jump_ms = random.between(-2'000, 2'000);
    if (kind == FaultKind::OneWayCut || kind == FaultKind::ConnectionLoss) {
      const auto& link = scenario_.links[random.below(scenario_.links.size())];
      fault.sites = {link.one, link.another};
      if (random.chance(0.5)) std::swap(fault.sites[0], fault.sites[1]);
    } else {
      fault.sites = {scenario_.sites[random.below(founders_)].name};
    }
    scenario_.timeline.push_back(std::move(fault));
  }

  void add_change(FaultKind kind, size_t site, size_t by, int64_t at_us, RandomStream& random) {
    Fault fault;
    fault.kind = kind;
    fault.at_us = fault.at_us_max = at_us;
    fault.sites = {scenario_.sites[site].name, scenario_.sites[by].name};
    if (kind == FaultKind::Restore) {
      fault.duration_us = random.between(100'000, 3'000'000);
      fault.backup_at_us = random.between(0, at_us);
    }
    scenario_.timeline.push_back(std::move(fault));
  }

  void choose_members() {
    RandomStream random(seed_, "fuzz: members");
    for (size_t i = 0; i < newcomers_; ++i) {
      add_change(FaultKind::Join, founders_ + i, random.below(founders_), moment(random), random);
    }
    if (random.chance(0.6)) {
      const size_t lost = random.below(founders_);
      add_change(FaultKind::Restore, lost, (lost + 1 + random.below(founders_ - 1)) % founders_, moment(random),
                 random);
    }
    if (random.chance(0.6)) {
      const size_t evicted = random.below(founders_);
      const size_t by = (evicted + 1 + random.below(founders_ - 1)) % founders_;
      add_change(FaultKind::Evict, evicted, by, moment(random), random);
    }
  }

  uint64_t seed_;
  Scenario scenario_;
  bool members_change_ = false;
  size_t founders_ = 0;
  size_t newcomers_ = 0;
};

}  // namespace

Scenario random_scenario(uint64_t seed, const std::set<FaultKind>& without) {
  auto scenario = Maker(seed).make();
  std::erase_if(scenario.timeline, [&](const Fault& fault) { return without.contains(fault.kind); });
  if (without.contains(FaultKind::Join)) {
    // Whoever would join later does not come at all.
    const auto whole = Maker(seed).make();
    const auto comes = [&](const std::string& name) { return is_founder(whole, name); };
    std::erase_if(scenario.sites, [&](const auto& site) { return !comes(site.name); });
    std::erase_if(scenario.links, [&](const auto& link) { return !comes(link.one) || !comes(link.another); });
    std::erase_if(scenario.timeline, [&](const Fault& fault) {
      return std::any_of(fault.sites.begin(), fault.sites.end(), [&](const auto& name) { return !comes(name); });
    });
  }
  return scenario;
}

}  // namespace quadrille::sim
