// What a site knows of its clock and of those of others, as it shows it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "log/site_id.h"
#include "log/stamp.h"

namespace quadrille::sync {

struct PeerSkew {
  int64_t ms = 0;             // positive: its clock is ahead of this site's
  int64_t round_trip_ms = 0;  // of the measurement: it is wrong by at most half of that
};

enum class ClockState : uint8_t {
  Agreed,  // as far as is known
  Ahead,   // of what others allow: updates are refused
  Behind,  // what others write waits
};

// A site of which something waits because it is stamped too far ahead.
struct EarlySite {
  log::SiteId site;
  log::Stamp stamp;      // the latest that was seen
  int64_t until_ms = 0;  // by this site's clock: then that stamp is in reach
};

struct ClockStatus {
  ClockState state = ClockState::Agreed;
  std::string text;  // of the others: by how much, according to whom, and what to do, in one line
  int64_t skew_ms_max = 0;
  std::vector<EarlySite> held_back;
};

}  // namespace quadrille::sync
