// Rows on their way between operators: columns of ids of equal length. An id that is not bound is an unbound variable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/model/term_id.h"

namespace quadrille::exec {

using model::TermId;
using Column = std::vector<TermId>;

// Batches grow from small to this while a query turns out to be a long one.
inline constexpr size_t first_batch_rows = 64;
inline constexpr size_t batch_rows_max = 4096;
constexpr size_t grown(size_t rows) noexcept { return rows * 4 < batch_rows_max ? rows * 4 : batch_rows_max; }

class Batch {
 public:
  // Empties it and gives it `columns` columns; their memory is kept.
  void reset(size_t columns) {
    columns_.resize(columns);
    for (Column& column : columns_) column.clear();
    rows_ = 0;
  }
  size_t rows() const noexcept { return rows_; }
  size_t column_count() const noexcept { return columns_.size(); }
  // All columns must have `rows` rows when the batch is handed on.
  void set_rows(size_t rows) noexcept { rows_ = rows; }
  Column& column(size_t index) noexcept { return columns_[index]; }
  const Column& column(size_t index) const noexcept { return columns_[index]; }
  TermId at(size_t row, size_t column) const noexcept { return columns_[column][row]; }

  // Keeps the rows named by `kept`, which ascends.
  void keep(const std::vector<uint32_t>& kept) {
    if (kept.size() == rows_) return;
    for (Column& column : columns_) {
      for (size_t i = 0; i < kept.size(); ++i) column[i] = column[kept[i]];
      column.resize(kept.size());
    }
    rows_ = kept.size();
  }
  void append(const Batch& other) {
    for (size_t i = 0; i < columns_.size(); ++i) {
      columns_[i].insert(columns_[i].end(), other.columns_[i].begin(), other.columns_[i].end());
    }
    rows_ += other.rows_;
  }
  // Rows `begin` to `begin + count` of a batch with as many columns.
  void append(const Batch& other, size_t begin, size_t count) {
    for (size_t i = 0; i < columns_.size(); ++i) {
      const auto first = other.columns_[i].begin() + static_cast<std::ptrdiff_t>(begin);
      columns_[i].insert(columns_[i].end(), first, first + static_cast<std::ptrdiff_t>(count));
    }
    rows_ += count;
  }
  // Keeps the first rows only.
  void truncate(size_t rows) {
    for (Column& column : columns_) column.resize(rows);
    rows_ = rows;
  }
  void drop_first(size_t count) {
    for (Column& column : columns_) column.erase(column.begin(), column.begin() + static_cast<std::ptrdiff_t>(count));
    rows_ -= count;
  }
  size_t bytes() const noexcept { return rows_ * columns_.size() * sizeof(TermId); }

 private:
  std::vector<Column> columns_;
  size_t rows_ = 0;
};

}  // namespace quadrille::exec
