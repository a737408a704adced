// A large changeset that is being built aside: its bulk, and what has happened meanwhile to the cells that it writes.
//
//   1. begin(): the bulk gets a number, and the writer notes from then on which cells it comes by.
//   2. The range is written, in short commits, from what the store holds. What each quad was before is right for all
//      cells that nobody touched since step 1.
//   3. find_rows(), or the notes of who wrote the range: which of its cells have a row in the window. These and those
//      touched since step 1 are looked at again in
//   4. the commit that switches the bulk in: cells_to_decide() names them.
//
// A bulk that was not switched in when this is destroyed, or given up, is removed by the next sweeps
// (log/bulk_table.h). Whose number it is tells the watch, not the number: what was begun in a commit that failed leaves
// its number to the next one.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "log/bulk_range.h"
#include "log/bulk_table.h"
#include "reconcile/touched_cells.h"
#include "reconcile/writing.h"

namespace quadrille::reconcile {

class StagedBulk {
 public:
  StagedBulk(const SiteTables& tables, WriterMemory& memory) : tables_(tables), memory_(memory) {}

  // By the writer; to be committed at once.
  void begin(log::LogState& state);
  // By the writer. Nothing follows.
  void give_up() { touched_.reset(); }

  uint64_t number() const noexcept { return number_; }
  const std::array<uint64_t, log::range_sets>& rows() const noexcept { return rows_; }
  void count_rows(log::RangeSet set, uint64_t rows) noexcept { rows_[set.number()] += rows; }

  // `from` is where it goes on; false: it has come to the end. Looks at no more than `row_limit` rows of the window.
  bool find_rows(const store::ReadTransaction& reading, std::string& from, size_t row_limit);

  // A cell that has a row, and one whose history the changeset has not seen, in the state in which its quad was
  // compared with the store.
  void note_row(const model::Quad& quad) { with_rows_.push_back(quad); }
  void note_concurrent(const model::Quad& quad) { concurrent_.push_back(quad); }

  struct CellToDecide {
    model::Quad quad;
    log::RangeSet set;     // in the range
    bool existed = false;  // now, before the changeset
  };
  // In the switching transaction, before it writes anything. In the order GSPO. Busy: too much was written meanwhile.
  base::Result<std::vector<CellToDecide>> cells_to_decide(const Writing& writing);

 private:
  const SiteTables& tables_;
  WriterMemory& memory_;
  uint64_t number_ = 0;
  std::array<uint64_t, log::range_sets> rows_{};
  std::shared_ptr<TouchedCells> touched_;
  std::vector<model::Quad> with_rows_;
  std::vector<model::Quad> concurrent_;
};

}  // namespace quadrille::reconcile
