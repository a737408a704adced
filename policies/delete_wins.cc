#include "policies/delete_wins.h"

namespace quadrille::policies {

reconcile::Decision DeleteWins::resolve(const reconcile::Conflict& conflict) const {
  reconcile::Decision decision;
  for (const reconcile::Version& version : conflict.versions) {
    if (!version.is_maximal) continue;
    if (version.left.empty()) return {};
    decision.content = version.left;
  }
  return decision;
}

}  // namespace quadrille::policies
