// Sorted runs of rows on disk, merged into one sorted list: the second half of an external merge sort (Knuth, The Art
// of Computer Programming, volume 3, section 5.4.1). Where there are more runs than there is memory to read side by
// side, some that follow each other become one first, no more than needed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/exec/loser_tree.h"
#include "engine/exec/sort_key.h"
#include "engine/exec/spill_file.h"

namespace quadrille::exec {

// A part of a file: pages of rows, each its keys and then its ids.
struct SortedRun {
  std::shared_ptr<const SpillFile> file;
  uint64_t begin = 0;
  uint64_t end = 0;
};

// Writes runs, one after the other.
class RunWriter {
 public:
  RunWriter(RunState& run, OperatorFigures* figures)
      : page_bytes_(run.spill_page_bytes()), file_(std::make_shared<SpillFile>(run, figures)) {}

  // A row is what is appended here, and then ended.
  std::string& row() noexcept { return page_; }
  void end_row();
  SortedRun end_run();

 private:
  void write_page();

  size_t page_bytes_;
  std::shared_ptr<SpillFile> file_;
  std::string page_;
  uint64_t rows_ = 0;
  uint64_t run_begin_ = 0;
};

// One run, a row at a time.
class RunReader {
 public:
  RunReader(SortedRun source, size_t keys, size_t columns, RunState& run);
  // To the first row, to the next one. False at the end.
  bool advance();
  bool has_row() const noexcept { return has_row_; }
  const SortKey& key(size_t index) const noexcept { return keys_[index]; }
  TermId id(size_t column) const noexcept;
  std::string_view bytes() const noexcept { return row_; }

 private:
  void read_page();

  SortedRun source_;
  size_t columns_;
  MemoryUse memory_;
  std::string page_;
  std::string_view rest_;  // of the page
  uint64_t rows_left_ = 0;
  std::vector<SortKey> keys_;
  std::string_view row_;
  bool has_row_ = false;
};

// Several runs as one; of rows that are equal those of earlier runs come first.
class RunMerge {
 public:
  RunMerge(std::vector<std::unique_ptr<RunReader>> readers, const SortDirections& directions);
  // Null at the end.
  const RunReader* current() const noexcept;
  void advance();

 private:
  bool is_before(size_t left, size_t right) const;
  std::vector<std::unique_ptr<RunReader>> readers_;
  const SortDirections& directions_;
  LoserTree<std::function<bool(size_t, size_t)>> tree_;
};

class SortedRuns {
 public:
  // `directions` must outlive this.
  SortedRuns(size_t columns, const SortDirections& directions, RunState& run, OperatorFigures* figures)
      : columns_(columns), directions_(directions), run_(run), figures_(figures) {
    writer_.emplace(run, figures);
  }

  // For the rows of a run, in order, each ended there; then end_run().
  RunWriter& writer() noexcept { return *writer_; }
  void end_run() { runs_.push_back(writer_->end_run()); }
  // The rows of all runs, in order. To be called once; the runs must outlive what it returns.
  std::unique_ptr<RunMerge> merge();

 private:
  size_t merge_width() const;
  std::unique_ptr<RunMerge> merge_of(size_t begin, size_t end);
  void reduce_to(size_t count);

  size_t columns_;
  const SortDirections& directions_;
  RunState& run_;
  OperatorFigures* figures_;
  std::optional<RunWriter> writer_;  // until the merge
  std::vector<SortedRun> runs_;
};

}  // namespace quadrille::exec
