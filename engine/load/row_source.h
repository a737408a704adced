// Sorted rows, some at a time.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/store/quad_row.h"

namespace quadrille::load {

// Ascending, equal ones side by side. One thread at a time.
class RowSource {
 public:
  virtual ~RowSource() = default;
  // The next rows, valid until the next call; empty at the end only. Throws base::StorageError if a file fails.
  virtual std::span<const store::QuadRow> next() = 0;
};

class MemoryRows final : public RowSource {
 public:
  explicit MemoryRows(std::vector<store::QuadRow> rows) : rows_(std::move(rows)) {}
  std::span<const store::QuadRow> next() override {
    if (std::exchange(is_given_, true)) return {};
    return rows_;
  }

 private:
  std::vector<store::QuadRow> rows_;
  bool is_given_ = false;
};

}  // namespace quadrille::load
