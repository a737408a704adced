// The second half of a load: from rows sorted by GSPO to a run of blocks in all four orders.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "engine/load/bulk_load.h"
#include "engine/load/pipeline.h"
#include "engine/load/prepared_run.h"
#include "engine/load/row_merge.h"
#include "engine/load/row_set.h"
#include "engine/load/sorter.h"
#include "engine/load/stored_rows.h"
#include "engine/store/run.h"
#include "engine/store/store.h"

namespace quadrille::load {

struct AssemblyOptions {
  SortLimits sort;  // of each of the three orders that are sorted here
  size_t commit_bytes = 0;
};

// All members but the constructor are called under the pipeline's lock, or after it has run.
class Assembly {
 public:
  // The run has been started. Reads `sorter` once it is done.
  // `hashes`: of the terms that are new with this load.
  Assembly(store::RunNumber run, Sorter& sorter, const store::TermHashFile& hashes, const LoadParts& parts,
           const AssemblyOptions& options, Pipeline& pipeline);

  void add_stages();

  // Of the rows that were added to the sorter, how many are in blocks, counting each order as a quarter. Repetitions
  // count as done when they are found.
  double rows_done() const noexcept;
  bool is_done() const noexcept;

  // Counts what was read in this half only. To be called once, when it is done.
  Comparison take_comparison();

 private:
  using Rows = std::vector<store::QuadRow>;
  using Blocks = std::vector<store::EncodedBlock>;

  // Rows of one order on their way into blocks.
  struct Line {
    Line(model::QuadOrder line_order, bool is_of_run) : order(line_order), in_run(is_of_run), encoder(line_order) {}
    model::QuadOrder order;
    bool in_run;  // else: those that the store has, for the site's log
    store::RunEncoder encoder;
    std::unique_ptr<Sorter> sorter;  // of the orders that are sorted here
    std::unique_ptr<RowMerge> merge;
    std::deque<Rows> rows;  // of GSPO: they come sorted
    bool rows_ended = false;
    bool is_busy = false;
    bool is_done = false;
    uint64_t rows_encoded = 0;
    std::vector<std::pair<model::TermId, store::TotalsChange>> totals;  // by graph or predicate, where those lead
    void encode(std::span<const store::QuadRow> sorted, Blocks& blocks);
    store::TotalsChange& totals_of(model::TermId first);
  };
  struct PendingBlocks {
    const Line* line;
    Blocks blocks;
  };
  struct Compared;

  std::optional<Pipeline::Piece> write();
  std::optional<Pipeline::Piece> encode(Line& line);
  void add_totals(Line& line, std::span<const store::QuadRow> sorted);
  std::optional<Pipeline::Piece> compare();
  bool takes_rows() const noexcept;
  Compared compare_some();
  store::StatisticsChange statistics() const;
  void publish(Compared compared);
  void add_blocks(const Line& line, Blocks blocks);
  void write_blocks(store::Transaction& transaction, const PendingBlocks& pending);

  store::RunNumber run_;
  Sorter& sorter_;
  const store::TermHashFile& new_hashes_;
  const LoadParts& parts_;
  AssemblyOptions options_;
  Pipeline& pipeline_;

  // The comparison's, one piece at a time.
  bool is_comparing_ = false;
  bool is_compared_ = false;
  std::unique_ptr<RowMerge> merge_;
  std::unique_ptr<store::ChangeWatch> watch_;
  std::unique_ptr<RowSet> present_rows_;
  uint64_t absent_ = 0, present_ = 0;

  store::TermHashCache hashes_;  // of who encodes GSPO
  std::array<Line, 5> lines_;    // GSPO, SPOG, POSG, OSPG; what is present
  bool is_writing_ = false;
  std::deque<PendingBlocks> pending_;
  size_t pending_bytes_ = 0;
};

}  // namespace quadrille::load
