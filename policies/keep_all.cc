#include "policies/keep_all.h"

#include "policies/candidates.h"

namespace quadrille::policies {

reconcile::Decision KeepAll::resolve(const reconcile::Conflict& conflict) const { return {left_by_maximal(conflict)}; }

}  // namespace quadrille::policies
