// What goes wrong, as a scenario's file says it: [[fault]] and [random_faults].
#include <algorithm>
#include <set>

#include "sim/scenario_parts.h"

namespace quadrille::sim {
namespace {

using replica::TomlReader;

constexpr size_t repeats_max = 100'000;  // of one [[fault]] with every_s

size_t sites_of(FaultKind kind) {
  const bool is_between_two =
      kind == FaultKind::OneWayCut || kind == FaultKind::ConnectionLoss || changes_members(kind);
  return is_between_two ? 2 : 1;
}

std::string kind_names() {
  std::string names;
  for (const auto each : all_fault_kinds) names += fmt::format("{}{}", names.empty() ? "" : ", ", name_of(each));
  return names;
}

base::Result<std::vector<std::string>> read_fault_sites(TomlReader& table, FaultKind kind, const Scenario& scenario) {
  QUADRILLE_ASSIGN(auto sites, table.texts("sites"));
  const bool is_partition = kind == FaultKind::Partition;
  if (!sites || (is_partition ? sites->empty() : sites->size() != sites_of(kind))) {
    return table.error("sites", is_partition ? "expected the sites that are cut off"
                                             : fmt::format("expected {} of the sites", sites_of(kind)));
  }
  for (const auto& name : *sites) QUADRILLE_TRY(check_site(table, "sites", name, scenario));
  if (sites->size() == 2 && !is_partition && sites->front() == sites->back()) {
    return table.error("sites", "expected two sites");
  }
  return std::move(*sites);
}

struct Moments {
  std::vector<int64_t> at_us;
  int64_t later_us = 0;  // by chance at most so much later
};

// at_s, or every_s with from_s and until_s, or between_s.
base::Result<Moments> read_moments(TomlReader& table, int64_t run_us) {
  const double run_s = static_cast<double>(run_us) / 1e6;
  Moments moments;
  const bool has_at = table.has("at_s");
  const bool has_every = table.has("every_s");
  const bool has_between = table.has("between_s");
  if (has_at + has_every + has_between != 1) {
    return table.error(has_at      ? "at_s"
                       : has_every ? "every_s"
                                   : "between_s",
                       "expected one of at_s, every_s and between_s: seconds from the start of the run");
  }
  if (has_at) {
    QUADRILLE_TRY(read_number(table, "at_s", 0, run_s, 1e6, moments.at_us.emplace_back()));
  } else if (has_between) {
    QUADRILLE_ASSIGN(auto between, table.numbers("between_s"));
    if (!between || between->size() != 2 ||
        !((*between)[0] >= 0 && (*between)[0] <= (*between)[1] && (*between)[1] <= run_s)) {
      return table.error("between_s", fmt::format("expected two moments, as in [10, 20], from 0 to {}", run_s));
    }
    moments.at_us.push_back(std::llround((*between)[0] * 1e6));
    moments.later_us = std::llround((*between)[1] * 1e6) - moments.at_us.back();
  } else {
    int64_t every_us = 0;
    int64_t until_us = run_us;
    QUADRILLE_TRY(read_number(table, "every_s", 0.001, 1e7, 1e6, every_us));
    int64_t at_us = every_us;
    QUADRILLE_TRY(read_number(table, "from_s", 0, run_s, 1e6, at_us));
    QUADRILLE_TRY(read_number(table, "until_s", 0, run_s, 1e6, until_us));
    for (; at_us < until_us; at_us += every_us) {
      if (moments.at_us.size() == repeats_max) {
        return table.error("every_s", fmt::format("expected no more than {} repeats in a run", repeats_max));
      }
      moments.at_us.push_back(at_us);
    }
  }
  return moments;
}

base::Result<void> read_fault(TomlReader& table, Scenario& scenario) {
  QUADRILLE_ASSIGN(auto kind, table.text("kind"));
  const auto found = kind ? find_fault_kind(*kind) : std::nullopt;
  if (!found) return table.error("kind", "expected one of " + kind_names());
  Fault fault;
  fault.kind = *found;
  QUADRILLE_ASSIGN(fault.sites, read_fault_sites(table, fault.kind, scenario));
  QUADRILLE_ASSIGN(const auto moments, read_moments(table, scenario.run_us));
  if (has_duration(fault.kind)) {
    if (!table.has("for_s")) return table.error("for_s", "missing; expected how many seconds it lasts");
    QUADRILLE_TRY(read_number(table, "for_s", 0, 1e7, 1e6, fault.duration_us));
  }
  if (fault.kind == FaultKind::ClockJump) {
    if (!table.has("jump_ms")) return table.error("jump_ms", "missing; expected how far the clock jumps");
    QUADRILLE_TRY(read_number(table, "jump_ms", -1e12, 1e12, 1, fault.jump_ms));
  }
  if (fault.kind == FaultKind::Restore) {
    if (!table.has("backup_at_s")) return table.error("backup_at_s", "missing; expected when the backup is made");
    QUADRILLE_TRY(read_number(table, "backup_at_s", 0,
                              static_cast<double>(moments.at_us.empty() ? 0 : moments.at_us[0]) / 1e6, 1e6,
                              fault.backup_at_us));
  }
  QUADRILLE_TRY(table.check_all_known());
  for (const int64_t at_us : moments.at_us) {
    fault.at_us = at_us;
    fault.at_us_max = at_us + moments.later_us;
    scenario.timeline.push_back(fault);
  }
  return {};
}

base::Result<void> read_fault_rates(TomlReader& top, Scenario& scenario) {
  QUADRILLE_ASSIGN(auto rates, top.table("random_faults"));
  if (!rates) return {};
  for (const auto kind : all_fault_kinds) {
    if (changes_members(kind)) continue;  // who, and by whom, is no matter of chance
    QUADRILLE_ASSIGN(auto table, rates->table(name_of(kind)));
    if (!table) continue;
    FaultRate rate{.kind = kind, .per_minute = 0, .duration_us_min = 0, .duration_us_max = 0, .jump_ms_max = 0};
    QUADRILLE_TRY(read_number(*table, "per_minute", 0, 6000, 1, rate.per_minute));
    if (has_duration(kind)) {
      QUADRILLE_TRY(read_range(*table, "for_s", 1e6, 1e6, rate.duration_us_min, rate.duration_us_max));
    }
    if (kind == FaultKind::ClockJump) QUADRILLE_TRY(read_number(*table, "jump_ms", 0, 1e12, 1, rate.jump_ms_max));
    QUADRILLE_TRY(table->check_all_known());
    scenario.fault_rates.push_back(rate);
  }
  return rates->check_all_known();
}

}  // namespace

base::Result<void> read_faults(TomlReader& top, Scenario& scenario) {
  QUADRILLE_ASSIGN(auto tables, top.tables("fault"));
  for (auto& table : tables) QUADRILLE_TRY(read_fault(table, scenario));
  size_t founders = 0;
  for (const auto& site : scenario.sites) founders += is_founder(scenario, site.name);
  if (founders == 0) return top.error("fault", "expected a site that does not have to join first");
  return read_fault_rates(top, scenario);
}

std::string_view name_of(FaultKind kind) noexcept {
  switch (kind) {
    case FaultKind::Partition: return "partition";
    case FaultKind::OneWayCut: return "one-way-cut";
    case FaultKind::Crash: return "crash";
    case FaultKind::PowerLoss: return "power-loss";
    case FaultKind::Pause: return "pause";
    case FaultKind::ConnectionLoss: return "connection-loss";
    case FaultKind::ClockJump: return "clock-jump";
    case FaultKind::Join: return "join";
    case FaultKind::Evict: return "evict";
    case FaultKind::Restore: return "restore";
  }
  return "";
}

std::optional<FaultKind> find_fault_kind(std::string_view name) noexcept {
  const auto* found = std::find_if(all_fault_kinds.begin(), all_fault_kinds.end(),
                                   [&](FaultKind each) { return name_of(each) == name; });
  if (found == all_fault_kinds.end()) return std::nullopt;
  return *found;
}

bool changes_members(FaultKind kind) noexcept {
  return kind == FaultKind::Join || kind == FaultKind::Evict || kind == FaultKind::Restore;
}

bool has_duration(FaultKind kind) noexcept {
  return kind != FaultKind::ConnectionLoss && kind != FaultKind::ClockJump && kind != FaultKind::Join &&
         kind != FaultKind::Evict;
}

// One that joins before anything else happens to its membership.
bool is_founder(const Scenario& scenario, std::string_view site) {
  const Fault* first = nullptr;
  for (const auto& fault : scenario.timeline) {
    if (changes_members(fault.kind) && fault.sites.front() == site && (!first || fault.at_us < first->at_us)) {
      first = &fault;
    }
  }
  return !first || first->kind != FaultKind::Join;
}

bool may_lose_power(const Scenario& scenario) {
  return std::any_of(scenario.timeline.begin(), scenario.timeline.end(),
                     [](const auto& fault) { return fault.kind == FaultKind::PowerLoss; }) ||
         std::any_of(scenario.fault_rates.begin(), scenario.fault_rates.end(),
                     [](const auto& rate) { return rate.kind == FaultKind::PowerLoss && rate.per_minute > 0; });
}

}  // namespace quadrille::sim
