// The quads of one set of a bulk's range, in the order GSPO (bulk_table.h).
#pragma once

#include <vector>

#include "log/bulk_table.h"

namespace quadrille::log {

// Reads of one transaction, which must outlive it, while the range stays as it is.
class RangeStream {
 public:
  // At the first quad.
  RangeStream(const store::ReadTransaction& reading, const store::Table& table, uint64_t bulk, RangeSet set);

  bool at_row() const noexcept { return at_ < rows_.size(); }
  const store::QuadRow& row() const { return rows_[at_]; }
  void next();
  // To the first quad that is not before it; only forward.
  void skip_to(const store::QuadRow& row);

 private:
  void read_from(const store::QuadRow& row);

  BulkTable table_;
  uint64_t bulk_;
  RangeSet set_;
  std::vector<store::QuadRow> rows_;  // some, from a place in the range on
  size_t at_ = 0;
  bool is_end_ = false;  // there are none behind them
};

// The quads that both have.
std::vector<model::Quad> common_quads(RangeStream& one, RangeStream& other);

}  // namespace quadrille::log
