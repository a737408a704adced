#include "replica/http/metrics.h"

#include <algorithm>

namespace quadrille::http {
namespace {

size_t outcome_of(const Exchange::Outcome& outcome) {
  if (!outcome.is_whole) return 3;
  if (outcome.status >= 500) return 2;
  return outcome.status >= 400 ? 1 : 0;
}

}  // namespace

void Metrics::end(const Exchange::Outcome& outcome, int64_t took_us) {
  const auto known = std::find_if(operations.begin(), operations.end(),
                                  [&](const char* name) { return std::string_view(name) == outcome.operation; });
  const auto index = std::min<size_t>(static_cast<size_t>(known - operations.begin()), operations.size() - 1);
  auto& operation = operations_[index];
  ++operation.outcomes[outcome_of(outcome)];
  const auto bound = std::lower_bound(bounds_us.begin(), bounds_us.end(), took_us);
  ++operation.buckets[static_cast<size_t>(bound - bounds_us.begin())];
  operation.total_us += static_cast<uint64_t>(std::max<int64_t>(took_us, 0));
  --in_progress_;
}

}  // namespace quadrille::http
