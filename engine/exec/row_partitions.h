// Rows on disk, parted by the hash of their keys: what a hash table that has outgrown its memory leaves for later.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/exec/spill_file.h"

namespace quadrille::exec {

// Rows with equal keys are in one partition, in the order in which they were added.
struct RowPartition {
  struct Page {
    uint64_t offset;
    uint32_t rows;
  };
  std::shared_ptr<const SpillFile> file;
  std::vector<Page> pages;
};

class PartitionWriter {
 public:
  static constexpr size_t partition_count = 16;
  // A partition that is still too large is parted again, at the next level, by other bits. Of what 16^8 partitions
  // cannot part there is no more to be had.
  static constexpr uint32_t level_max = 8;
  static size_t partition_of(uint64_t hash, uint32_t level) noexcept {
    uint64_t mixed = (hash ^ (hash >> 32)) + (level + 1) * 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
    return mixed >> 60;
  }

  // `level` < level_max. Requires run.can_spill().
  PartitionWriter(uint32_t level, RunState& run, OperatorFigures* figures);

  // `row` of the columns. Throws RunStopped and base::StorageError.
  void add(std::span<const Column* const> columns, size_t row, uint64_t hash);
  // To be called once.
  std::array<RowPartition, partition_count> finish();

 private:
  void write_page(size_t partition);

  uint32_t level_;
  size_t page_bytes_;
  MemoryUse memory_;
  std::shared_ptr<SpillFile> file_;
  std::array<std::string, partition_count> pages_;
  std::array<uint32_t, partition_count> rows_{};
  std::array<RowPartition, partition_count> partitions_;
};

// The rows of a partition, a page at a time.
class PartitionReader {
 public:
  PartitionReader(RowPartition partition, size_t columns) : partition_(std::move(partition)), columns_(columns) {}
  // Replaces the batch by the next rows; none only at the end.
  void next(Batch& batch);

 private:
  RowPartition partition_;
  size_t columns_;
  size_t next_page_ = 0;
  std::vector<TermId> page_;
};

}  // namespace quadrille::exec
