// A changeset: one committed transaction, as the log keeps it and as it travels. DESIGN section 3.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/model/quad.h"
#include "log/cell.h"
#include "log/site_id.h"
#include "log/stamp.h"
#include "log/version_vector.h"

namespace quadrille::log {

// XXH3-128 of a changeset's chunks as shipped, its header without this hash, and the hash of the changeset before it
// (changeset_codec.h): a chain per origin, in which two different changesets of one origin and seq cannot hide.
using ChangesetHash = std::array<uint8_t, 16>;

struct ChangesetId {
  SiteId origin;
  uint64_t seq = 0;

  friend auto operator<=>(const ChangesetId&, const ChangesetId&) = default;
  friend bool operator==(const ChangesetId&, const ChangesetId&) = default;
};

// Names a policy assignment (reconcile/assignment.h): the stamp and the origin of the changeset that brought it. The
// highest that a site has seen is in force there. The one of `init` comes before all others, and is the default.
struct AssignmentNumber {
  Stamp stamp;
  SiteId origin;

  bool is_initial() const noexcept { return origin.name.empty(); }
  friend auto operator<=>(const AssignmentNumber&, const AssignmentNumber&) = default;
  friend bool operator==(const AssignmentNumber&, const AssignmentNumber&) = default;
};

struct ChangesetHeader {
  ChangesetId id;
  Stamp stamp;
  VersionVector dependencies;   // what the transaction had seen; covers (origin, seq - 1)
  AssignmentNumber assignment;  // that it was made under
  uint64_t operation_count = 0;
  uint32_t chunk_count = 0;
  ChangesetHash hash{};

  // True if what `id` names had happened before this changeset.
  bool has_seen(const ChangesetId& other) const noexcept { return dependencies.covers(other.origin, other.seq); }
};

// "The quad exists after" or "does not exist after", also where that changed nothing at the origin.
struct QuadOperation {
  model::Quad quad;
  bool exists = true;
};

// What a transaction saw in a value or record cell, and what it left there.
struct CellOperation {
  Cell cell;
  CellContent saw;
  CellContent left;
};

// What a changeset may say beside what it does to cells. The log keeps it and passes it on, and does not look inside.
enum class AnnouncementKind : uint8_t {
  Assignment = 1,  // a whole policy assignment, in force from this changeset on (reconcile/assignment.h)
  Membership = 2,  // who joins, is evicted, or answers an eviction (reconcile/membership.h)
};
struct Announcement {
  AnnouncementKind kind = AnnouncementKind::Assignment;
  std::string bytes;

  friend bool operator==(const Announcement&, const Announcement&) = default;
};

// Operations in ids of one store. Quads that belong to value or record cells stand in cell_operations only.
struct Operations {
  std::vector<QuadOperation> quads;
  std::vector<CellOperation> cells;
  std::vector<Announcement> announcements;
  size_t size() const noexcept { return quads.size() + cells.size() + announcements.size(); }
};

// What is shipped: ids replaced by a table of terms per chunk. The same changeset gives the same bytes at every site
// (changeset_codec.h), so a site can pass on what it received from its own log.
struct ShippedChangeset {
  ChangesetHeader header;
  std::vector<std::string> chunks;
};

}  // namespace quadrille::log
