// A policy assignment comes into force, from here or from another site. DESIGN section 4, "Policy assignment".
#pragma once

#include "reconcile/conflict_table.h"
#include "reconcile/writing.h"

namespace quadrille::reconcile {

// The changeset of `header`, which is in the log's state, brings it. InvalidInput: the bytes are none, or it says what
// no assignment may, or is not the only one of its number. Unavailable: it names a policy that this site does not have;
// then nothing past that changeset can be taken. A concurrent one is noted in a conflict record: the higher number is
// in force.
base::Result<void> take_assignment(Writing& writing, ConflictTableWriter& conflicts, const log::ChangesetHeader& header,
                                   std::string_view bytes);

// Lets go of assignments that nothing rests on any more: a newer one is known to all members, and all that was written
// before that was known has left the history window.
void forget_old_assignments(Writing& writing);

}  // namespace quadrille::reconcile
