#include "policies/add_wins.h"

namespace quadrille::policies {

reconcile::Decision AddWins::resolve(const reconcile::Conflict& conflict) const {
  for (const reconcile::Version& version : conflict.versions) {
    if (version.is_maximal && !version.left.empty()) return {version.left};
  }
  return {};
}

}  // namespace quadrille::policies
