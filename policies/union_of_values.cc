#include "policies/union_of_values.h"

#include "policies/candidates.h"

namespace quadrille::policies {

reconcile::Decision Union::resolve(const reconcile::Conflict& conflict) const { return {left_by_maximal(conflict)}; }

}  // namespace quadrille::policies
