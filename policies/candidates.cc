#include "policies/candidates.h"

#include <algorithm>

namespace quadrille::policies {

reconcile::Content left_by_maximal(const reconcile::Conflict& conflict) {
  reconcile::Content all;
  for (const reconcile::Version& version : conflict.versions) {
    if (version.is_maximal) all.insert(all.end(), version.left.begin(), version.left.end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace quadrille::policies
