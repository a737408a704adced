#include <algorithm>

#include "log/site_id.h"
#include "replica/site/assignment_tables.h"
#include "sim/scenario_parts.h"

namespace quadrille::sim {
namespace {

using replica::TomlReader;

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

struct LinkRule {
  std::vector<std::string> between;
  LinkOptions options;
  double losses_per_minute = 0;
};

base::Result<LinkOptions> read_link_options(TomlReader& table) {
  LinkOptions options;
  QUADRILLE_ASSIGN(auto jitter, table.text("jitter"));
  if (jitter && *jitter != "uniform" && *jitter != "long-tailed") {
    return table.error("jitter", "expected one of uniform, long-tailed");
  }
  if (jitter == "long-tailed") options.jitter = LinkOptions::Jitter::LongTailed;
  QUADRILLE_TRY(read_number(table, "latency_ms", 0, 60'000, 1000, options.latency_us));
  QUADRILLE_TRY(read_number(table, "jitter_ms", 0, 60'000, 1000, options.jitter_us));
  QUADRILLE_TRY(read_number(table, "kib_per_s", 1, 100e6, 1024, options.bytes_per_second));
  QUADRILLE_TRY(read_number(table, "window_kib", 1, 1e6, 1024, options.window_bytes));
  QUADRILLE_TRY(read_number(table, "give_up_s", 0.001, 86400, 1e6, options.give_up_us));
  return options;
}

bool fits(const std::string& pattern, const std::string& name) { return pattern == "*" || pattern == name; }

base::Result<void> read_links(TomlReader& top, Scenario& scenario) {
  std::vector<LinkRule> rules;
  QUADRILLE_ASSIGN(auto tables, top.tables("link"));
  for (auto& table : tables) {
    QUADRILLE_ASSIGN(auto between, table.texts("between"));
    if (!between || between->size() != 2) return table.error("between", "expected two sites, as in [\"ams\", \"*\"]");
    for (const auto& name : *between) {
      if (name != "*") QUADRILLE_TRY(check_site(table, "between", name, scenario));
    }
    QUADRILLE_ASSIGN(auto options, read_link_options(table));
    double losses_per_minute = 0;
    QUADRILLE_TRY(read_number(table, "losses_per_minute", 0, 6000, 1, losses_per_minute));
    QUADRILLE_TRY(table.check_all_known());
    rules.push_back({std::move(*between), options, losses_per_minute});
  }
  if (rules.empty()) rules.push_back({{"*", "*"}, {}, 0});

  for (size_t i = 0; i < scenario.sites.size(); ++i) {
    for (size_t j = i + 1; j < scenario.sites.size(); ++j) {
      const auto& one = scenario.sites[i].name;
      const auto& another = scenario.sites[j].name;
      const auto rule = std::find_if(rules.rbegin(), rules.rend(), [&](const LinkRule& each) {
        const auto& [first, second] = std::tie(each.between[0], each.between[1]);
        return (fits(first, one) && fits(second, another)) || (fits(first, another) && fits(second, one));
      });
      if (rule != rules.rend()) scenario.links.push_back({one, another, rule->options, rule->losses_per_minute});
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

base::Result<void> read_limits(TomlReader& top, Limits& limits) {
  QUADRILLE_ASSIGN(auto table, top.table("limits"));
  if (!table) return {};
  constexpr double mib = 1024 * 1024;
  QUADRILLE_TRY(read_number(*table, "disk_mib", 1, 1e6, mib, limits.disk_bytes));
  QUADRILLE_TRY(read_number(*table, "memory_mib", 1, 1e6, mib, limits.memory_bytes));
  return table->check_all_known();
}

base::Result<void> read_data(TomlReader& top, Scenario& scenario) {
  QUADRILLE_ASSIGN(auto data, top.text("data"));
  if (!data) return {};
  auto file = std::filesystem::path(*data);
  if (file.is_relative()) file = std::filesystem::path(top.file()).parent_path() / file;
  std::error_code failure;
  if (!std::filesystem::is_regular_file(file, failure)) {
    return top.error("data", fmt::format("expected a file of RDF; there is none at {}", file.string()));
  }
  scenario.data = file.string();
  return {};
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
  QUADRILLE_TRY(read_faults(top, scenario));
  QUADRILLE_TRY(read_workload(top, scenario));
  QUADRILLE_TRY(read_clients(top, scenario));
  QUADRILLE_TRY(read_updates(top, scenario));
  QUADRILLE_TRY(read_invariants(top, scenario));
  QUADRILLE_TRY(read_limits(top, scenario.limits));
  QUADRILLE_TRY(read_data(top, scenario));
  QUADRILLE_ASSIGN(scenario.assignment, replica::read_assignment(top, policies));
  QUADRILLE_TRY(top.check_all_known());
  return scenario;
}

}  // namespace

base::Result<void> read_range(TomlReader& table, std::string_view stem, double max, double scale, int64_t& low,
                              int64_t& high) {
  const std::string low_key = fmt::format("{}_min", stem);
  const std::string high_key = fmt::format("{}_max", stem);
  QUADRILLE_TRY(read_number(table, low_key, 0, max, scale, low));
  QUADRILLE_TRY(read_number(table, high_key, 0, max, scale, high));
  if (low > high) return table.error(high_key, fmt::format("expected no less than {}", low_key));
  return {};
}

namespace {

std::string site_names(const Scenario& scenario) {
  std::string names;
  for (const auto& site : scenario.sites) names += (names.empty() ? "" : ", ") + site.name;
  return names;
}

}  // namespace

base::Result<void> check_site(const TomlReader& table, std::string_view key, const std::string& name,
                              const Scenario& scenario) {
  for (const auto& site : scenario.sites) {
    if (site.name == name) return {};
  }
  return table.error(key, fmt::format("no site \"{}\"; expected one of {}", name, site_names(scenario)));
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
