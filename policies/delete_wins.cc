#include "policies/delete_wins.h"

namespace quadrille::policies {

size_t DeleteWins::pick(const reconcile::Outline& outline) const {
  size_t last_maximal = 0;
  for (size_t i = 0; i < outline.versions.size(); ++i) {
    if (!outline.versions[i].is_maximal) continue;
    if (outline.versions[i].left_nothing) return i;
    last_maximal = i;
  }
  return last_maximal;
}

}  // namespace quadrille::policies
