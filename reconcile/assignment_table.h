// Where a site keeps the policy assignments that still count.
//
// Table "reconcile.assignments": key: 0 for that of `init`; else 1, the stamp (physical milliseconds and counter, 8
// bytes each, big-endian) and the origin (incarnation, 8 bytes, and name). Value: the seq of the changeset that brought
// it (0: `init`), a byte, 1 once every member is known to have it, then the version vector that this site had when that
// was first known; and the assignment (encode(Assignment)), sized.
#pragma once

#include <optional>
#include <vector>

#include "engine/store/store.h"
#include "log/log_state.h"
#include "reconcile/assignment_history.h"

namespace quadrille::reconcile {

struct StoredAssignment {
  log::AssignmentNumber number;
  uint64_t seq = 0;
  // Once every member has it: what was here then. All that was written under older assignments is among that.
  std::optional<log::VersionVector> known_to_all_at;
  Assignment assignment;
};

inline constexpr std::string_view assignments_table = "reconcile.assignments";

// By number, ascending. Throws StorageError (Corruption).
std::vector<StoredAssignment> read_assignments(const store::ReadTransaction& reading, const store::Table& table);
// The same into `history`, in place of what is there.
void read_assignments(const store::ReadTransaction& reading, const store::Table& table, AssignmentHistory& history);
void put_assignment(store::WriteTransaction& writing, const store::Table& table, const StoredAssignment& assignment);
void erase_assignment(store::WriteTransaction& writing, const store::Table& table, const log::AssignmentNumber& number);

// "of `init`", or "2026-11-30T11:32:59.123Z+4 of ams.00c0ffee00c0ffee".
std::string to_string(const log::AssignmentNumber& number);

}  // namespace quadrille::reconcile
