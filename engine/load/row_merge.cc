#include "engine/load/row_merge.h"

#include <algorithm>

#include "engine/load/row_sort.h"

namespace quadrille::load {

using store::QuadRow;

RowMerge::RowMerge(std::vector<std::unique_ptr<RowSource>> sources, size_t batch_rows)
    : sources_(std::move(sources)), batch_rows_(batch_rows) {
  batch_.reserve(batch_rows);
  for (const auto& source : sources_) {
    Head head{nullptr, nullptr, source.get()};
    if (advance(head)) heads_.push_back(head);
  }
  std::sort(heads_.begin(), heads_.end(), [](const Head& a, const Head& b) { return is_before(*a.row, *b.row); });
}

// To the head's next row. False: there is none.
bool RowMerge::advance(Head& head) {
  if (head.row != head.end && ++head.row != head.end) return true;
  const auto rows = head.source->next();
  head.row = rows.data();
  head.end = rows.data() + rows.size();
  return !rows.empty();
}

// The first head has moved on: puts it where it belongs.
void RowMerge::sink_first() {
  const Head head = heads_.front();
  size_t place = 0;
  while (true) {
    size_t child = place * 2 + 1;
    if (child >= heads_.size()) break;
    if (child + 1 < heads_.size() && is_before(*heads_[child + 1].row, *heads_[child].row)) ++child;
    if (!is_before(*heads_[child].row, *head.row)) break;
    heads_[place] = heads_[child];
    place = child;
  }
  heads_[place] = head;
}

void RowMerge::add(const QuadRow& row) {
  if (row == last_) return;
  last_ = row;
  batch_.push_back(row);
}

std::span<const QuadRow> RowMerge::next() {
  batch_.clear();
  while (!heads_.empty() && batch_.size() < batch_rows_) {
    Head& first = heads_.front();
    add(*first.row);
    if (advance(first)) {
      sink_first();
      continue;
    }
    heads_.front() = heads_.back();
    heads_.pop_back();
    if (!heads_.empty()) sink_first();
  }
  return batch_;
}

}  // namespace quadrille::load
