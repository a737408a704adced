// What the writer does with changes of membership: those that come in, and those that this site makes.
#pragma once

#include <string>

#include "engine/base/result.h"
#include "log/changeset.h"
#include "reconcile/writing.h"

namespace quadrille::reconcile {

// A changeset that is here now, or becomes so with this group, announces it.
void take_membership(Writing& writing, const log::ChangesetHeader& header, MembershipChange change);
// Notes which evictions are complete, so that what is known later does not open them again.
void note_complete_evictions(Writing& writing);

// Unavailable: the site is still joining, was evicted, or its clock is ahead of what others allow; with the reason.
base::Result<void> check_may_write(const Writing& writing);
// Refused, with the reason: that site cannot join now.
base::Result<void> check_join(const Membership& membership, const log::SiteId& sponsor, const log::SiteId& site);
// Refused: somebody who has so much cannot have the rest from this site's log, or has what this site lacks.
base::Result<void> check_copy(const Writing& writing, const log::VersionVector& has);
// The life of that name that is a member. Refused: there is none, or it is this site.
base::Result<log::SiteId> find_life_to_evict(const Writing& writing, const std::string& name);

}  // namespace quadrille::reconcile
