// The policies that come with every site.
#pragma once

#include "reconcile/assignment.h"

namespace quadrille::policies {

// For any cell: last-writer-wins, first-writer-wins, site-priority. For quads: add-wins, delete-wins. For single
// values: max, min, sum, keep-all, union.
reconcile::PolicyRegistry built_in();

}  // namespace quadrille::policies
