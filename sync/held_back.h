// Which changesets of a peer's stream are not taken yet, because they are stamped too far ahead of this site's clock,
// or depend on such a one. They are dropped here and stay at the sender (report in sync.capnp), so all that this takes
// is one entry an origin, however much is held back.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "log/changeset.h"
#include "log/version_vector.h"

namespace quadrille::sync {

class HeldBack {
 public:
  struct Entry {
    uint64_t seq = 0;      // that one and all later ones of the origin
    int64_t until_ms = 0;  // the physical time that must be in reach before it may be asked for
  };

  // Whether it is held back, given that stamps up to `reach_ms` are taken. Notes it, if so.
  bool holds(const log::ChangesetHeader& header, int64_t reach_ms);
  bool has(const log::SiteId& origin, uint64_t seq) const;
  // Forgets what is in reach by now. True: there was some, it may be asked for.
  bool release(int64_t reach_ms);

  const std::map<log::SiteId, Entry>& entries() const noexcept { return entries_; }
  log::VersionVector first() const;  // of each origin the first that is held back

 private:
  std::optional<int64_t> until(const log::ChangesetHeader& header, int64_t reach_ms) const;

  std::map<log::SiteId, Entry> entries_;
};

}  // namespace quadrille::sync
