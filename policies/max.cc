#include "policies/max.h"

#include <algorithm>

#include "engine/model/term_order.h"
#include "policies/candidates.h"

namespace quadrille::policies {

reconcile::Decision Max::resolve(const reconcile::Conflict& conflict) const {
  const reconcile::Content candidates = left_by_maximal(conflict);
  const auto found = std::max_element(candidates.begin(), candidates.end(), [](const auto& left, const auto& right) {
    return model::compare_terms(left.object, right.object) < 0;
  });
  if (found == candidates.end()) return {};
  return {{*found}};
}

}  // namespace quadrille::policies
