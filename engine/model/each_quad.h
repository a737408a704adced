// All quads that a scan gives, one after the other, for those who want every column of every row.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "engine/model/quad_source.h"

namespace quadrille::model {

// Calls `visit` with each quad of the source in the order given.
template <class Visit>
void for_each_quad(const QuadSource& source, QuadOrder order, Visit visit) {
  constexpr size_t batch_rows = 1024;
  const auto scan = source.scan(order, {}, ColumnSet::all());
  std::array<std::array<TermId, batch_rows>, 4> columns;
  ScanBatch batch;
  batch.capacity = batch_rows;
  for (size_t i = 0; i < 4; ++i) batch.columns[i] = columns[i].data();
  while (const size_t count = scan->next(batch)) {
    for (size_t i = 0; i < count; ++i) visit(Quad{columns[0][i], columns[1][i], columns[2][i], columns[3][i]});
  }
}

}  // namespace quadrille::model
