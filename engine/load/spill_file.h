// Rows that do not fit into memory: a temporary file, in order, compressed by what neighbours have in common.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/temporary_file.h"
#include "engine/load/row_source.h"

namespace quadrille::load {

// Writes runs of sorted rows, one after the other, then gives them back. Failures are thrown as base::StorageError.
// Page by page:
//   4 bytes  rows, little-endian
//   4        bytes that follow
//   a row after the other: a byte that says which column is the first to differ from the row before (the first row of
//   a page: from zeros), by how much it is more, then the columns behind it, turned left by the 8 bits of their tag;
//   numbers as LEB128
class SpillFile {
 public:
  explicit SpillFile(const std::filesystem::path& directory) : file_(directory, "load") {}
  void append(std::span<const store::QuadRow> rows);
  // What was appended since the last call is a run.
  void end_run() { run_ends_.push_back(pages_.size()); }

  size_t run_count() const noexcept { return run_ends_.size(); }
  // The file must outlive the sources.
  std::unique_ptr<RowSource> rows_of_run(size_t run) const;
  std::vector<std::unique_ptr<RowSource>> rows_of_runs() const;  // each by itself
  uint64_t bytes() const noexcept { return file_.size(); }

  static constexpr size_t page_rows_max = 4096;
  struct Page {
    uint64_t offset;
    store::QuadRow first_row;
  };
  std::span<const Page> pages() const noexcept { return pages_; }
  void read_page(size_t page, std::vector<store::QuadRow>& rows) const;
  std::unique_ptr<RowSource> rows_of_pages(size_t begin, size_t end) const;

 private:
  base::TemporaryFile file_;
  std::vector<Page> pages_;
  std::vector<size_t> run_ends_;  // in pages
  std::string page_;
};

}  // namespace quadrille::load
