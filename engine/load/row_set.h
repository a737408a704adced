// A sorted set of rows of any size that can be asked for one of them: a temporary file, and the first row of each of
// its pages in memory.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "engine/load/spill_file.h"

namespace quadrille::load {

class RowSet {
 public:
  explicit RowSet(std::filesystem::path directory) : directory_(std::move(directory)) {}

  // Ascending, distinct, and behind all that were added before. Throws base::StorageError.
  void add(std::span<const store::QuadRow> rows);

  // Of the rows that were added. Quick when the next row is near to the last one.
  bool contains(const store::QuadRow& row);
  // From the first row on. The set must outlive the source, and not be added to meanwhile.
  std::unique_ptr<RowSource> rows() const;

 private:
  std::filesystem::path directory_;
  std::unique_ptr<SpillFile> file_;
  std::vector<store::QuadRow> page_;  // read last
  size_t page_number_ = 0;
};

}  // namespace quadrille::load
