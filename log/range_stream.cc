#include "log/range_stream.h"

#include <algorithm>

namespace quadrille::log {
namespace {

constexpr auto order = model::QuadOrder::Gspo;
constexpr size_t rows_at_a_time = 4096;

}  // namespace

RangeStream::RangeStream(const store::ReadTransaction& reading, const store::Table& table, uint64_t bulk, RangeSet set)
    : table_(reading, table), bulk_(bulk), set_(set) {
  read_from({});
}

void RangeStream::read_from(const store::QuadRow& row) {
  rows_.clear();
  for (const model::Quad& quad : table_.read_range(bulk_, set_, row, rows_at_a_time)) {
    rows_.push_back(store::to_row(order, quad));
  }
  at_ = 0;
  is_end_ = rows_.size() < rows_at_a_time;
}

void RangeStream::next() {
  if (++at_ < rows_.size() || is_end_) return;
  const store::QuadRow last = rows_.back();
  read_from(last);
  at_ = 1;
}

void RangeStream::skip_to(const store::QuadRow& row) {
  if (!at_row()) return;
  if (rows_.back() < row && !is_end_) read_from(row);
  at_ = static_cast<size_t>(std::lower_bound(rows_.begin() + static_cast<std::ptrdiff_t>(at_), rows_.end(), row) -
                            rows_.begin());
}

std::vector<model::Quad> common_quads(RangeStream& one, RangeStream& other) {
  std::vector<model::Quad> common;
  while (one.at_row() && other.at_row()) {
    if (one.row() < other.row()) {
      one.skip_to(other.row());
    } else if (other.row() < one.row()) {
      other.skip_to(one.row());
    } else {
      common.push_back(store::to_quad(order, one.row()));
      one.next();
      other.next();
    }
  }
  return common;
}

}  // namespace quadrille::log
