// How many final conflict records a site keeps, and how long: the oldest go.
#pragma once

#include <cstdint>

namespace quadrille::reconcile {

struct ConflictBounds {
  uint64_t count_max = 100'000;
  int64_t age_ms_max = int64_t{90} * 24 * 3600 * 1000;  // by the time of the record
};

}  // namespace quadrille::reconcile
