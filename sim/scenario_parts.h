// The parts of a scenario's file, each read by a file of its own. Internal to the reader.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>
#include <type_traits>

#include "replica/site/toml_reader.h"
#include "sim/scenario.h"

namespace quadrille::sim {

// A number from `min` to `max`, times `scale`, rounded; absent: left as it is.
template <class Number>
base::Result<void> read_number(replica::TomlReader& table, std::string_view key, double min, double max, double scale,
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

base::Result<void> read_range(replica::TomlReader& table, std::string_view stem, double max, double scale, int64_t& low,
                              int64_t& high);
base::Result<void> check_site(const replica::TomlReader& table, std::string_view key, const std::string& name,
                              const Scenario& scenario);

// Each adds to `scenario`, whose sites and length are known.
base::Result<void> read_faults(replica::TomlReader& top, Scenario& scenario);
base::Result<void> read_workload(replica::TomlReader& top, Scenario& scenario);
base::Result<void> read_clients(replica::TomlReader& top, Scenario& scenario);
base::Result<void> read_updates(replica::TomlReader& top, Scenario& scenario);
base::Result<void> read_invariants(replica::TomlReader& top, Scenario& scenario);

std::string_view name_of(Invariant::When when) noexcept;

}  // namespace quadrille::sim
