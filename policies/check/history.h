// A history: what a few sites did to one cell, as a script. Whatever is taken out of the script leaves a history too,
// which is what shrinking rests on (shrinking.h); simulated_sites.h plays it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "log/cell.h"
#include "policies/check/value_pool.h"

namespace quadrille::policies::check {

inline constexpr size_t sites_max = 6;  // joined ones included
inline constexpr size_t versions_max = 64;

enum class Deed : uint8_t {
  Write,      // values in place of what is there
  Add,        // one more value beside what is there; of policies that accept several
  Increase,   // one number by another; as Write where there is not one number
  WriteSame,  // what another site's newest version that is here left
  Delete,
  DoNothing,  // an update that leaves the cell as it is
  Receive,    // what `other` has, as far as `amount` goes
  Fold,       // up to `amount` whole, stable, leading components; versions that may leave go first
  Join,       // the next site, with `site` as its sponsor
  Evict,      // `site` is never heard of again; the others agree on what they have of it
};

struct Event {
  Deed deed = Deed::Write;
  uint8_t site = 0;
  uint8_t other = 0;
  uint8_t amount = 0;
  uint8_t wait_ms = 0;            // before it
  std::vector<PoolValue> values;  // Write, Add, Increase; of a record: of its properties, in turn

  friend bool operator==(const Event&, const Event&) = default;
};

struct History {
  log::CellKind kind = log::CellKind::Value;
  std::string property;  // of the cell; of a record: its group
  std::string argument;
  uint8_t sites = 2;            // from the start
  std::vector<int8_t> skew_ms;  // of each site that there may be
  uint64_t incarnations = 0;    // seeds those of the sites
  uint64_t neighbours = 0;      // seeds what the context holds (generated_context.h)
  std::vector<PoolValue> start;
  std::vector<Event> events;

  friend bool operator==(const History&, const History&) = default;
};

// "ams", "nyc", ...
std::string site_name(size_t site);

}  // namespace quadrille::policies::check
