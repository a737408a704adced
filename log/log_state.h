// What a site remembers of each origin, and of its own log as a whole. A small value: read when a snapshot or a group
// of writes begins, written back where it changed.
//
// Tables: "log.origins": key an origin's number (8 bytes, big-endian), value an OriginState. "log.bulks": key a bulk's
// number (8 bytes, big-endian), value a BulkState. "log.state": key "state", value last position, clock floor and the
// last number of a bulk. Numbers are this site's own; they are given once and never leave it.
#pragma once

#include <algorithm>
#include <array>
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
  uint64_t replayed_seq = 0;       // changesets up to here have been replayed (reconcile/replay.h)

  // Replaying may begin late: what was walked before counts as replayed.
  uint64_t seen_by_replay() const noexcept { return std::max(replayed_seq, walked_seq); }

  friend bool operator==(const OriginState&, const OriginState&) = default;
};

// What is kept of a large changeset apart from small ones: its bulk (bulk_table.h).
enum class BulkStage : uint8_t {
  Staged = 0,   // being written, seen by nobody; where nobody is left who writes it, it is being removed
  Open = 1,     // the changeset is here, and its range is part of the history window
  Settled = 2,  // stable: its range is history no more, and is being removed
  Trimmed = 4,  // all of it is being removed
};

// What the changeset said of a quad, and what had been before.
struct RangeSet {
  bool existed = false;
  bool exists = true;
  constexpr size_t number() const noexcept { return (existed ? 2u : 0u) + (exists ? 1u : 0u); }
  static constexpr RangeSet of_number(size_t number) noexcept { return {number / 2 != 0, number % 2 != 0}; }
};
inline constexpr size_t range_sets = 4;

struct BulkState {
  uint64_t number = 0;
  BulkStage stage = BulkStage::Staged;
  OriginNumber origin = 0;  // from here on: once it is no longer staged
  uint64_t seq = 0;
  uint64_t position = 0;                    // in the log
  std::array<uint64_t, range_sets> rows{};  // of its range, by RangeSet::number()
  uint64_t rows_taken = 0;                  // of these, have got a row of their own in the window

  uint64_t range_rows() const noexcept { return rows[0] + rows[1] + rows[2] + rows[3]; }
  friend bool operator==(const BulkState&, const BulkState&) = default;
};

struct LogState {
  std::vector<OriginState> origins;  // by number
  std::vector<BulkState> bulks;      // ascending by number
  uint64_t last_bulk = 0;
  uint64_t last_position = 0;
  Stamp clock_floor;  // no stamp that this site gave, and told, is above it

  std::optional<OriginNumber> find(const SiteId& site) const;
  OriginNumber number_of(const SiteId& site);  // gives one if need be
  VersionVector version_vector() const;
  VersionVector walked_vector() const;
  std::vector<uint64_t> replayed_seqs() const;  // by origin: OriginState::seen_by_replay()
  BulkState* find_bulk(uint64_t number);
  BulkState* find_bulk_of(OriginNumber origin, uint64_t seq);  // not of staged ones
  BulkState& add_bulk();
};

struct LogStateTables {
  store::Table origins;
  store::Table bulks;
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
  explicit SeenVector(std::vector<uint64_t> seqs) : seqs_(std::move(seqs)) {}
  bool covers(OriginNumber origin, uint64_t seq) const noexcept { return at(origin) >= seq; }
  uint64_t at(OriginNumber origin) const noexcept { return origin < seqs_.size() ? seqs_[origin] : 0; }

 private:
  std::vector<uint64_t> seqs_;
};

}  // namespace quadrille::log
