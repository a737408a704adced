// The policies that come with every site.
#pragma once

#include "reconcile/assignment.h"

namespace quadrille::policies {

// add-wins, delete-wins, last-writer-wins, sum.
reconcile::PolicyRegistry built_in();

}  // namespace quadrille::policies
