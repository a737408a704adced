// Runs: sorted sets of quads as blocks, built aside and switched in by one small commit.
//
// The quads of a store are those of its active runs, the largest of which is the base, under a delta (quad_table.h). A
// run that is being built is not active: no reader sees it. Compaction merges runs step by step.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/store/block.h"
#include "engine/store/block_table.h"

namespace quadrille::store {

// A block as it will stand in a run: what block.h reads.
struct EncodedBlock {
  std::array<char, quad_key_bytes> key;  // the first row, in the order
  std::string value;
  uint32_t rows = 0;
};

// Makes the blocks of one order. Pure computation: no store, no lock. One thread at a time.
class RunEncoder {
 public:
  explicit RunEncoder(model::QuadOrder order) : encoder_(order) {}

  // Takes rows that ascend and are distinct, also from call to call, and appends to `out` the blocks that are full.
  void add(std::span<const QuadRow> rows, std::vector<EncodedBlock>& out);
  // The rest. The next row may then be any: a new run.
  void finish(std::vector<EncodedBlock>& out);

 private:
  void cut(size_t rows_left_max, std::vector<EncodedBlock>& out);

  BlockEncoder encoder_;
  std::vector<QuadRow> pending_;
};

struct ActiveRun {
  RunNumber number = 0;
  // When it was switched in, counted in switches. A quad erased at a count (the delta's marks) is erased from the runs
  // that were there by then, and not from those that came later.
  uint32_t activation = 0;
  uint64_t rows = 0;  // about: when it was switched in, and what was merged into it
};

// Which runs are active: in the table "metadata".
struct RunList {
  std::vector<ActiveRun> active = {{}};  // the base first, then by activation
  RunNumber next_number = 1;
  uint32_t activation = 0;  // of the newest
  // A merge that goes on: the rows of `source` move into `target`. 0: of none, for the base is never a source.
  RunNumber source = 0;
  RunNumber target = 0;

  const ActiveRun& base() const noexcept { return active.front(); }
  ActiveRun* find(RunNumber number) noexcept;
  bool has(RunNumber number) const noexcept;

  friend bool operator==(const RunList& a, const RunList& b) noexcept;
};

RunList read_runs(const ReadTransaction& transaction, const Table& metadata);
void write_runs(WriteTransaction& transaction, const Table& metadata, const RunList& runs);

}  // namespace quadrille::store
