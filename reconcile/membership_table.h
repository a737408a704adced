// Where a site keeps what it knows of the cluster's members (membership.h). Few rows; they stay.
//
// Table "reconcile.members": the stamp (physical milliseconds and counter, 8 bytes each, big-endian), the origin
// (incarnation, 8 bytes, and name) of the changeset that announced the change -> its seq, its dependencies, a byte, 1
// once this site found an eviction complete, and the change, sized.
#pragma once

#include "engine/store/store.h"
#include "reconcile/membership.h"

namespace quadrille::reconcile {

inline constexpr std::string_view members_table = "reconcile.members";

// Throws StorageError (Corruption).
std::vector<MembershipEvent> read_membership(const store::ReadTransaction& reading, const store::Table& table);
void put_membership(store::WriteTransaction& writing, const store::Table& table, const MembershipEvent& event);

}  // namespace quadrille::reconcile
