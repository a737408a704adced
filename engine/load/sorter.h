// Sorts any number of rows in bounded memory: segments are sorted by themselves, several at the same time; when there
// are too many of them, they are merged into a run in a temporary file; and when there are too many runs, those are
// merged into a longer one, so that the last merge reads few at a time (balanced merging; Knuth, The Art of Computer
// Programming, volume 3, section 5.4.1).
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "engine/load/pipeline.h"
#include "engine/load/row_source.h"
#include "engine/load/spill_file.h"

namespace quadrille::load {

struct SortLimits {
  size_t segment_rows = size_t{1} << 17;    // at first; later ones are longer, so that there are not too many
  size_t rows_in_memory = size_t{1} << 22;  // of one sorter; while a segment is sorted it takes twice its memory
  size_t runs_max = 64;  // of about the same length, at least 2; each takes a page of a temporary file in a merge
};

// All members but the constructor are called under the pipeline's lock.
class Sorter {
 public:
  Sorter(const SortLimits& limits, std::filesystem::path directory)
      : limits_(limits), directory_(std::move(directory)) {}

  // In any order, with repetitions.
  void add(std::vector<store::QuadRow> rows);
  void end_input() { input_ended_ = true; }
  // Whoever adds should wait.
  bool is_full() const noexcept { return rows_in_memory_ > limits_.rows_in_memory; }

  std::optional<Pipeline::Piece> next_piece();
  bool is_done() const noexcept { return input_ended_ && gathered_.empty() && in_the_works_ == 0; }

  uint64_t rows_added() const noexcept { return rows_added_; }
  // All rows, ascending; equal ones may have become one. Requires is_done(); to be called once. The sorter must outlive
  // the sources.
  std::vector<std::unique_ptr<RowSource>> take_sources();

 private:
  using Rows = std::vector<store::QuadRow>;
  size_t segment_rows() const noexcept;
  Pipeline::Piece sort_piece();
  Pipeline::Piece spill_piece();
  void spill(RowSource& rows, size_t level);

  SortLimits limits_;
  std::filesystem::path directory_;
  bool input_ended_ = false;
  std::vector<Rows> gathered_;  // not sorted yet
  size_t gathered_rows_ = 0;
  std::vector<Rows> segments_;  // sorted
  // Runs of segments, and of runs of the level before, each less than runs_max. A file is null while it has none.
  std::vector<std::unique_ptr<SpillFile>> levels_;
  size_t rows_in_memory_ = 0;
  uint64_t rows_added_ = 0;
  size_t in_the_works_ = 0;  // pieces
  bool is_spilling_ = false;
};

}  // namespace quadrille::load
