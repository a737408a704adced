// Many sorted parts as one sorted stream: the chunks of a large changeset, or of its quads in another order.
#pragma once

#include <algorithm>
#include <vector>

#include "engine/store/quad_row.h"

namespace quadrille::reconcile {

struct SortedPart {
  std::vector<store::QuadRow> rows;
  std::vector<bool> marks;  // one a row, whatever the user means by it; or none at all
};

// Refers to the parts, which must stay as they are but for the marks.
class PartsMerge {
  auto comes_later() const {
    return [this](uint32_t left, uint32_t right) { return row_of(right) < row_of(left); };
  }

 public:
  explicit PartsMerge(std::vector<SortedPart>& parts) : parts_(parts), at_(parts.size(), 0) {
    for (uint32_t part = 0; part < parts.size(); ++part) {
      if (!parts[part].rows.empty()) heap_.push_back(part);
    }
    std::make_heap(heap_.begin(), heap_.end(), comes_later());
  }

  bool at_row() const noexcept { return !heap_.empty(); }
  const store::QuadRow& row() const { return row_of(heap_.front()); }
  std::vector<bool>::reference mark() { return parts_[heap_.front()].marks[at_[heap_.front()]]; }
  void next() {
    std::pop_heap(heap_.begin(), heap_.end(), comes_later());
    const uint32_t part = heap_.back();
    if (++at_[part] == parts_[part].rows.size()) {
      heap_.pop_back();
    } else {
      std::push_heap(heap_.begin(), heap_.end(), comes_later());
    }
  }

 private:
  const store::QuadRow& row_of(uint32_t part) const { return parts_[part].rows[at_[part]]; }

  std::vector<SortedPart>& parts_;
  std::vector<size_t> at_;      // by part
  std::vector<uint32_t> heap_;  // the part with the smallest next row first
};

}  // namespace quadrille::reconcile
