// Who wrote a changeset: a site, in one of its lives.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace quadrille::log {

// A site has a name that people choose, and an incarnation, random, that is new each time the site starts from nothing
// (init, restore). Sequence numbers belong to one incarnation.
struct SiteId {
  std::string name;
  uint64_t incarnation = 0;

  friend auto operator<=>(const SiteId&, const SiteId&) = default;
  friend bool operator==(const SiteId&, const SiteId&) = default;
};

// 1 to 63 of a-z, 0-9 and '-', first and last not '-'.
base::Result<void> check_site_name(std::string_view name);

// "ams.00c0ffee00c0ffee", and back.
std::string to_string(const SiteId& site);
base::Result<SiteId> parse_site_id(std::string_view text);

}  // namespace quadrille::log
