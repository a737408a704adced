// Sorting rows of four ids, by their bytes from the highest on (most significant digit first; Knuth, The Art of
// Computer Programming, volume 3, section 5.2.5): ids that lie close together cost little.
#pragma once

#include <span>
#include <vector>

#include "engine/store/quad_row.h"

namespace quadrille::load {

// Quicker than comparing std::array's element by element in a loop.
inline bool is_before(const store::QuadRow& a, const store::QuadRow& b) noexcept {
  if (a[0] != b[0]) return a[0] < b[0];
  if (a[1] != b[1]) return a[1] < b[1];
  if (a[2] != b[2]) return a[2] < b[2];
  return a[3] < b[3];
}

// Ascending. Needs as much memory again, for as long as it runs.
void sort_rows(std::vector<store::QuadRow>& rows);

}  // namespace quadrille::load
