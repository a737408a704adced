#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "log/site_id.h"
#include "replica/site/assignment_tables.h"
#include "replica/site/toml_reader.h"
#include "sim/scenario.h"

namespace quadrille::sim {
namespace {

using replica::TomlReader;

constexpr std::array all_fault_kinds = {FaultKind::Partition, FaultKind::OneWayCut,      FaultKind::Crash,
                                        FaultKind::Pause,     FaultKind::ConnectionLoss, FaultKind::ClockJump};

bool ends(FaultKind kind) { return kind != FaultKind::ConnectionLoss && kind != FaultKind::ClockJump; }

// A number from `min` to `max`, times `scale`, rounded; absent: left as it is.
template <class Number>
base::Result<void> read_number(TomlReader& table, std::string_view key, double min, double max, double scale,
                               Number& out) {
  QUADRILLE_ASSIGN(auto value, table.number(key));
  if (!value) return {};
  if (!(*value >= min && *value <= max))
    return table.error(key, fmt::format("expected a number from {} to {}", min, max));
  if constexpr (std::is_floating_point_v<Number>) {
    out = *value * scale;
  } else {
    out = static_cast<Number>(std::llround(*value * scale));
  }
  return {};
}

base::Result<void> read_range(TomlReader& table, std::string_view stem, double max, double scale, int64_t& low,
                              int64_t& high) {
  const std::string low_key = fmt::format("{}_min", stem);
  const std::string high_key = fmt::format("{}_max", stem);
  QUADRILLE_TRY(read_number(table, low_key, 0, max, scale, low));
  QUADRILLE_TRY(read_number(table, high_key, 0, max, scale, high));
  if (low > high) return table.error(high_key, fmt::format("expected no less than {}", low_key));
  return {};
}

base::Result<void> read_sites(TomlReader& top, Scenario& scenario) {
  QUADRILLE_ASSIGN(auto tables, top.tables("site"));
  for (auto& table : tables) {
    SiteSetup site;
    QUADRILLE_ASSIGN(auto name, table.text("name"));
    if (!name) return table.error("name", "missing; expected the site's name");
    if (auto checked = log::check_site_name(*name); !checked.ok()) return table.error("name", checked.error().message);
    for (const auto& before : scenario.sites) {
      if (before.name == *name) return table.error("name", fmt::format("there is a site \"{}\" already", *name));
    }
    site.name = std::move(*name);
    constexpr double year_ms = 366.0 * 86400 * 1000;
    QUADRILLE_TRY(read_number(table, "clock_skew_ms", -year_ms, year_ms, 1, site.clock_skew_ms));
    QUADRILLE_TRY(table.check_all_known());
    scenario.sites.push_back(std::move(site));
  }
  constexpr size_t sites_max = 16;
  if (scenario.sites.size() < 2 || scenario.sites.size() > sites_max) {
    return top.error("site",
                     fmt::format("expected 2 to {} tables [[site]], found {}", sites_max, scenario.sites.size()));
  }
  return {};
}

std::string site_names(const Scenario& scenario) {
  std::string names;
  for (const auto& site : scenario.sites) names += (names.empty() ? "" : ", ") + site.name;
  return names;
}

base::Result<void> check_site(const TomlReader& table, std::string_view key, const std::string& name,
                              const Scenario& scenario) {
  for (const auto& site : scenario.sites) {
    if (site.name == name) return {};
  }
  return table.error(key, fmt::format("no site \"{}\"; expected one of {}", name, site_names(scenario)));
}

base::Result<LinkOptions> read_link_options(TomlReader& table) {
  LinkOptions options;
  QUADRILLE_TRY(read_number(table, "latency_ms", 0, 60'000, 1000, options.latency_us));
  QUADRILLE_TRY(read_number(table, "jitter_ms", 0, 60'000, 1000, options.jitter_us));
  QUADRILLE_TRY(read_number(table, "kib_per_s", 1, 100e6, 1024, options.bytes_per_second));
  QUADRILLE_TRY(read_number(table, "window_kib", 1, 1e6, 1024, options.window_bytes));
  QUADRILLE_TRY(read_number(table, "give_up_s", 0.001, 86400, 1e6, options.give_up_us));
  return options;
}

bool fits(const std::string& pattern, const std::string& name) { return pattern == "*" || pattern == name; }

base::Result<void> read_links(TomlReader& top, Scenario& scenario) {
  struct Rule {
    std::vector<std::string> between;
    LinkOptions options;
  };
  std::vector<Rule> rules;
  QUADRILLE_ASSIGN(auto tables, top.tables("link"));
  for (auto& table : tables) {
    QUADRILLE_ASSIGN(auto between, table.texts("between"));
    if (!between || between->size() != 2) return table.error("between", "expected two sites, as in [\"ams\", \"*\"]");
    for (const auto& name : *between) {
      if (name != "*") QUADRILLE_TRY(check_site(table, "between", name, scenario));
    }
    QUADRILLE_ASSIGN(auto options, read_link_options(table));
    QUADRILLE_TRY(table.check_all_known());
    rules.push_back({std::move(*between), options});
  }
  if (rules.empty()) rules.push_back({{"*", "*"}, {}});

  for (size_t i = 0; i < scenario.sites.size(); ++i) {
    for (size_t j = i + 1; j < scenario.sites.size(); ++j) {
      const auto& one = scenario.sites[i].name;
      const auto& another = scenario.sites[j].name;
      const auto rule = std::find_if(rules.rbegin(), rules.rend(), [&](const Rule& each) {
        const auto& [first, second] = std::tie(each.between[0], each.between[1]);
        return (fits(first, one) && fits(second, another)) || (fits(first, another) && fits(second, one));
      });
      if (rule != rules.rend()) scenario.links.push_back({one, another, rule->options});
    }
  }
  return {};
}

// Whether each site can reach each other one over some path.
base::Result<void> check_connected(const TomlReader& top, const Scenario& scenario) {
  std::vector<std::string> reached = {scenario.sites.front().name};
  for (size_t i = 0; i < reached.size(); ++i) {
    for (const auto& link : scenario.links) {
      for (const auto& [from, to] : {std::pair(link.one, link.another), std::pair(link.another, link.one)}) {
        if (from == reached[i] && std::find(reached.begin(), reached.end(), to) == reached.end()) reached.push_back(to);
      }
    }
  }
  for (const auto& site : scenario.sites) {
    if (std::find(reached.begin(), reached.end(), site.name) != reached.end()) continue;
    return top.error("link",
                     fmt::format("no path of links leads from {} to {}", scenario.sites.front().name, site.name));
  }
  return {};
}

size_t sites_of(FaultKind kind) { return kind == FaultKind::OneWayCut || kind == FaultKind::ConnectionLoss ? 2 : 1; }

base::Result<Fault> read_fault(TomlReader& table, const Scenario& scenario) {
  Fault fault;
  QUADRILLE_ASSIGN(auto kind, table.text("kind"));
  const auto* found = kind ? std::find_if(all_fault_kinds.begin(), all_fault_kinds.end(),
                                          [&](FaultKind each) { return name_of(each) == *kind; })
                           : all_fault_kinds.end();
  if (found == all_fault_kinds.end()) {
    std::string kinds;
    for (const auto each : all_fault_kinds) kinds += fmt::format("{}{}", kinds.empty() ? "" : ", ", name_of(each));
    return table.error("kind", fmt::format("expected one of {}", kinds));
  }
  fault.kind = *found;
  QUADRILLE_ASSIGN(auto sites, table.texts("sites"));
  const bool is_partition = fault.kind == FaultKind::Partition;
  if (!sites || (is_partition ? sites->empty() : sites->size() != sites_of(fault.kind))) {
    return table.error("sites", is_partition ? "expected the sites that are cut off"
                                             : fmt::format("expected {} of the sites", sites_of(fault.kind)));
  }
  for (const auto& name : *sites) QUADRILLE_TRY(check_site(table, "sites", name, scenario));
  fault.sites = std::move(*sites);
  if (!table.has("at_s")) return table.error("at_s", "missing; expected seconds from the start of the run");
  QUADRILLE_TRY(read_number(table, "at_s", 0, static_cast<double>(scenario.run_us) / 1e6, 1e6, fault.at_us));
  if (ends(fault.kind)) {
    if (!table.has("for_s")) return table.error("for_s", "missing; expected how many seconds it lasts");
    QUADRILLE_TRY(read_number(table, "for_s", 0, 1e6, 1e6, fault.duration_us));
  }
  if (fault.kind == FaultKind::ClockJump) {
    if (!table.has("jump_ms")) return table.error("jump_ms", "missing; expected how far the clock jumps");
    QUADRILLE_TRY(read_number(table, "jump_ms", -1e9, 1e9, 1, fault.jump_ms));
  }
  QUADRILLE_TRY(table.check_all_known());
  return fault;
}

base::Result<void> read_fault_rates(TomlReader& top, Scenario& scenario) {
  QUADRILLE_ASSIGN(auto rates, top.table("random_faults"));
  if (!rates) return {};
  for (const auto kind : all_fault_kinds) {
    QUADRILLE_ASSIGN(auto table, rates->table(name_of(kind)));
    if (!table) continue;
    FaultRate rate{.kind = kind, .per_minute = 0, .duration_us_min = 0, .duration_us_max = 0, .jump_ms_max = 0};
    QUADRILLE_TRY(read_number(*table, "per_minute", 0, 6000, 1, rate.per_minute));
    if (ends(kind)) QUADRILLE_TRY(read_range(*table, "for_s", 1e6, 1e6, rate.duration_us_min, rate.duration_us_max));
    if (kind == FaultKind::ClockJump) QUADRILLE_TRY(read_number(*table, "jump_ms", 0, 1e9, 1, rate.jump_ms_max));
    QUADRILLE_TRY(table->check_all_known());
    scenario.fault_rates.push_back(rate);
  }
  return rates->check_all_known();
}

base::Result<void> read_mix(TomlReader& workload, WorkloadMix& mix) {
  QUADRILLE_ASSIGN(auto table, workload.table("mix"));
  if (!table) return {};
  QUADRILLE_TRY(read_number(*table, "insert", 0, 1e6, 1, mix.insert));
  QUADRILLE_TRY(read_number(*table, "erase", 0, 1e6, 1, mix.erase));
  QUADRILLE_TRY(read_number(*table, "pair", 0, 1e6, 1, mix.pair));
  QUADRILLE_TRY(read_number(*table, "set_value", 0, 1e6, 1, mix.set_value));
  QUADRILLE_TRY(read_number(*table, "increment", 0, 1e6, 1, mix.increment));
  QUADRILLE_TRY(read_number(*table, "bulk", 0, 1e6, 1, mix.bulk));
  if (mix.insert + mix.erase + mix.pair + mix.set_value + mix.increment + mix.bulk <= 0) {
    return workload.error("mix", "expected at least one kind of update that is not 0");
  }
  return table->check_all_known();
}

base::Result<void> read_workload(TomlReader& top, WorkloadSetup& setup) {
  QUADRILLE_ASSIGN(auto table, top.table("workload"));
  if (!table) return {};
  QUADRILLE_TRY(read_number(*table, "updates_per_second", 0, 10'000, 1, setup.updates_per_second));
  QUADRILLE_TRY(read_number(*table, "reads_per_second", 0, 10'000, 1, setup.reads_per_second));
  QUADRILLE_TRY(read_number(*table, "keys", 1, 1'000'000, 1, setup.keys));
  QUADRILLE_TRY(read_number(*table, "bulk_quads", 1, 100'000, 1, setup.bulk_quads));
  QUADRILLE_TRY(read_mix(*table, setup.mix));
  return table->check_all_known();
}

base::Result<Scenario> read_top(const toml::table& toml, const std::string& file,
                                const reconcile::PolicyRegistry& policies) {
  TomlReader top(toml, file, "");
  Scenario scenario;
  QUADRILLE_ASSIGN(auto name, top.text("name"));
  scenario.name = name.value_or(std::filesystem::path(file).stem().string());
  QUADRILLE_TRY(read_number(top, "run_s", 1, 1e7, 1e6, scenario.run_us));
  QUADRILLE_TRY(read_number(top, "quiet_s", 1, 1e7, 1e6, scenario.quiet_us));
  QUADRILLE_TRY(read_range(top, "commit_ms", 60'000, 1000, scenario.commit_us_min, scenario.commit_us_max));
  QUADRILLE_TRY(read_number(top, "batch_kib", 1, 65'536, 1024, scenario.batch_bytes));
  QUADRILLE_TRY(read_sites(top, scenario));
  QUADRILLE_TRY(read_links(top, scenario));
  QUADRILLE_TRY(check_connected(top, scenario));
  QUADRILLE_ASSIGN(auto faults, top.tables("fault"));
  for (auto& table : faults) {
    QUADRILLE_ASSIGN(auto fault, read_fault(table, scenario));
    scenario.timeline.push_back(std::move(fault));
  }
  QUADRILLE_TRY(read_fault_rates(top, scenario));
  QUADRILLE_TRY(read_workload(top, scenario.workload));
  QUADRILLE_ASSIGN(scenario.assignment, replica::read_assignment(top, policies));
  QUADRILLE_TRY(top.check_all_known());
  return scenario;
}

}  // namespace

std::string_view name_of(FaultKind kind) noexcept {
  switch (kind) {
    case FaultKind::Partition: return "partition";
    case FaultKind::OneWayCut: return "one-way-cut";
    case FaultKind::Crash: return "crash";
    case FaultKind::Pause: return "pause";
    case FaultKind::ConnectionLoss: return "connection-loss";
    case FaultKind::ClockJump: return "clock-jump";
  }
  return "";
}

base::Result<Scenario> read_scenario(const std::filesystem::path& file, const reconcile::PolicyRegistry& policies) {
  QUADRILLE_ASSIGN(auto toml, replica::read_toml_file(file));
  return read_top(toml, file.string(), policies);
}

base::Result<Scenario> parse_scenario(std::string_view text, const std::string& file,
                                      const reconcile::PolicyRegistry& policies) {
  QUADRILLE_ASSIGN(auto toml, replica::parse_toml(text, file));
  return read_top(toml, file, policies);
}

}  // namespace quadrille::sim
