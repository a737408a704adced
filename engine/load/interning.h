// The middle of a load: in the order of the pieces, their terms get ids, new ones from the dictionary, many at a time.
// Batches of new terms are prepared several at once, and written in their order.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "engine/load/pipeline.h"
#include "engine/load/prepared_load.h"
#include "engine/load/reading.h"
#include "engine/load/term_batch.h"
#include "engine/load/term_table.h"
#include "engine/store/term_hash_file.h"

namespace quadrille::load {

struct InterningOptions {
  size_t batch_bytes = 0;          // of new terms that make a commit worth while
  size_t pieces_of_batch_max = 0;  // at least 1; a few times as many are in flight
  size_t terms_in_memory = 0;      // of TermTable
};

// All members but the constructor are called under the pipeline's lock. Fails the pipeline with the first error that a
// piece brings.
class Interning {
 public:
  // `hashes` gets those of the terms that are new.
  Interning(Reading& reading, const store::Store& store, StoreWriter& writer, const InterningOptions& options,
            Pipeline& pipeline, store::TermHashFile& hashes)
      : reading_(reading),
        store_(store),
        writer_(writer),
        options_(options),
        pipeline_(pipeline),
        hashes_(hashes),
        table_(options.terms_in_memory) {}

  void add_stages();

  // The next piece all of whose terms have ids, in order.
  std::optional<CollectedPiece> take_next();

 private:
  std::optional<Pipeline::Piece> collect();
  std::optional<Pipeline::Piece> prepare();
  std::optional<Pipeline::Piece> write();
  CollectedPiece place(std::shared_ptr<const ParsedPiece> piece);
  void look_up(CollectedPiece& collected);
  model::TermId add_new(TermNumber term, CollectedPiece& collected);
  void open_batch();
  void take_over(const TermBatch& batch);
  store::PreparedTerms prepare_batch(TermBatch& batch) const;
  void write_batch(TermBatch& batch);
  void close_batch_if_full();
  void close_last_batch();

  Reading& reading_;
  const store::Store& store_;
  StoreWriter& writer_;
  InterningOptions options_;
  Pipeline& pipeline_;
  store::TermHashFile& hashes_;

  // The collector's, one piece at a time.
  bool is_collecting_ = false;
  uint64_t pieces_ = 0;
  uint32_t document_ = 0;    // of the last piece
  uint64_t first_line_ = 1;  // of the next piece, if it is of the same document
  TermTable table_;
  uint64_t next_place_ = 0;
  std::shared_ptr<TermBatch> open_;                // takes new terms; may be null
  std::vector<std::shared_ptr<TermBatch>> full_;   // on their way from open_ to closed_, while a piece is collected
  std::deque<std::shared_ptr<TermBatch>> closed_;  // in the works or done; the table still has their provisional ids

  bool is_writing_ = false;
  std::deque<CollectedPiece> collected_;
};

}  // namespace quadrille::load
