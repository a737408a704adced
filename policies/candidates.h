// What stands to choose from in a conflict.
#pragma once

#include "reconcile/policy.h"

namespace quadrille::policies {

// Each statement that a maximal version left, once, sorted. Empty when every maximal version left nothing.
reconcile::Content left_by_maximal(const reconcile::Conflict& conflict);

}  // namespace quadrille::policies
