// What a site remembers of each origin, and of its own log as a whole. A small value: read when a snapshot or a group
// of writes begins, written back where it changed.
//
// Tables: "log.origins": key an origin's number (8 bytes, big-endian), value an OriginState. "log.state": key "state",
// value last position and clock floor. Numbers are this site's own; they are given once and never leave it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/store/environment.h"
#include "log/changeset.h"
#include "log/stamp.h"
#include "log/version_vector.h"

namespace quadrille::log {

using OriginNumber = uint32_t;

struct OriginState {
  SiteId site;
  uint64_t seq = 0;                // of the last changeset that is here
  ChangesetHash hash{};            // of that one
  Stamp stamp;                     // of that one
  uint64_t walked_seq = 0;         // changesets up to here have been walked by folding (reconcile/folding.h) ...
  uint32_t walked_chunks = 0;      // ... and of the next one so many chunks,
  uint32_t walked_operations = 0;  // and in the chunk after those so many operations
  uint64_t trimmed_seq = 0;        // the log no longer keeps changesets up to here
  uint64_t trimmed_position = 0;   // where the last of those stood

  friend bool operator==(const OriginState&, const OriginState&) = default;
};

struct LogState {
  std::vector<OriginState> origins;  // by number
  uint64_t last_position = 0;
  Stamp clock_floor;  // no stamp that this site gave, and told, is above it

  std::optional<OriginNumber> find(const SiteId& site) const;
  OriginNumber number_of(const SiteId& site);  // gives one if need be
  VersionVector version_vector() const;
  VersionVector walked_vector() const;
};

struct LogStateTables {
  store::Table origins;
  store::Table state;
};

LogState read_log_state(const store::ReadTransaction& transaction, const LogStateTables& tables);
// Writes what differs from `before`, which is what stands there.
void write_log_state(store::WriteTransaction& transaction, const LogStateTables& tables, const LogState& before,
                     const LogState& now);

// A version vector by origin number, for quick comparison.
class SeenVector {
 public:
  SeenVector() = default;
  // Origins that `state` has no number for are left out: nothing of theirs is here.
  SeenVector(const VersionVector& vector, const LogState& state);
  bool covers(OriginNumber origin, uint64_t seq) const noexcept { return at(origin) >= seq; }
  uint64_t at(OriginNumber origin) const noexcept { return origin < seqs_.size() ? seqs_[origin] : 0; }

 private:
  std::vector<uint64_t> seqs_;
};

}  // namespace quadrille::log
