// The latest heartbeat of each site, as far as it may be passed on.
//
// A heartbeat may be passed on once this site has all that it names: only then can it stand in a stream after all of
// that. Until then it waits, the oldest and the newest of each site: the oldest because its time comes first.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "log/site_id.h"
#include "log/version_vector.h"
#include "reconcile/stability.h"

namespace quadrille::sync {

class HeartbeatBook {
 public:
  struct Ready {
    reconcile::Heartbeat heartbeat;
    uint64_t after_position = 0;  // of this site's log: all that it names stands there or before
  };

  // False if it is not newer than the last one of that site, or of one incarnation too many of a member: then it is not
  // kept.
  bool add(const reconcile::Heartbeat& heartbeat);
  // Moves what `own` covers to ready(), with that position; returns what it moved.
  std::vector<Ready> take_covered(const log::VersionVector& own, uint64_t last_position);
  bool has_covered(const log::VersionVector& own) const;

  const std::map<log::SiteId, Ready>& ready() const noexcept { return ready_; }

 private:
  bool is_one_too_many(const log::SiteId& site) const;

  std::map<log::SiteId, uint64_t> last_number_;
  std::map<log::SiteId, std::vector<reconcile::Heartbeat>> waiting_;  // at most two each
  std::map<log::SiteId, Ready> ready_;
};

}  // namespace quadrille::sync
