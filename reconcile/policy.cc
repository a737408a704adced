#include "reconcile/policy.h"

#include <fmt/format.h>

namespace quadrille::reconcile {

base::Result<void> Policy::check_argument(std::string_view argument) const {
  if (argument.empty()) return {};
  return base::Error{base::ErrorKind::InvalidInput, fmt::format("'{}' takes no argument", name()), {}};
}

Decision ChoosingPolicy::resolve(const Conflict& conflict) const {
  std::vector<VersionOutline> outlines;
  for (const Version& version : conflict.versions) {
    outlines.push_back({&version.id.origin, version.stamp, version.is_maximal, version.left.empty()});
  }
  return {conflict.versions[pick({outlines, conflict.argument})].left};
}

}  // namespace quadrille::reconcile
