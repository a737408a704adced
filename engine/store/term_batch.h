// Many terms at once, for loads: what takes time, finding those that are there and compressing those that are new, is
// done aside, from a snapshot, on any thread; the writer looks only at what came since, and writes finished blocks.
//
//   const PreparedTerms prepared = snapshot.prepare_terms(rows, hashes);      // 1 to 2 microseconds a new term
//   const std::vector<TermId> ids = transaction.intern_prepared(prepared);    // a few milliseconds for 10 MB of text
//
// Batches that share no term may be prepared side by side, each before the others are interned. One that does share a
// new term with what was interned since its snapshot is prepared anew in the writer's own time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/store/hash_index.h"
#include "engine/store/term_cache.h"

namespace quadrille::store {

// Distinct terms: rows (term_row.h) of what is not inline, and the store's hash of each.
struct TermBatch {
  std::span<const std::string_view> rows;
  std::span<const uint64_t> hashes;
};

// Refers to the rows and hashes of its batch, which must stay until it is interned.
class PreparedTerms {
 public:
  // As prepare_terms; `wanted` and `numbers` are what sorted_hashes and find_rows gave.
  PreparedTerms(const ReadTransaction& transaction, const DictionaryTables& tables, TermCache& cache,
                const TermBatch& batch, uint64_t next_number, std::vector<WantedHash> wanted,
                std::vector<uint64_t> numbers);

  size_t new_terms() const noexcept { return new_places_.size(); }
  std::string_view row(size_t place) const { return batch_.rows[place]; }

 private:
  friend class TermBatchWriter;
  struct LargePiece {
    uint64_t number;  // of the term, among the new ones
    uint32_t piece;
    std::string value;
  };
  void encode_texts(const Phrases* phrases);
  void encode_hashes();

  TermBatch batch_;
  std::vector<uint64_t> numbers_;       // by place; 0 for new terms
  std::vector<uint32_t> new_places_;    // in the order of their numbers
  std::vector<WantedHash> new_hashes_;  // ascending
  std::shared_ptr<const Phrases> new_phrases_;
  std::vector<EncodedTermBlock> blocks_;
  std::vector<LargePiece> large_;
  std::vector<EncodedHashBlock> hash_blocks_;  // numbers count from 0
  // What the dictionary was like.
  uint64_t next_number_ = 0;
  uint64_t fold_steps_ = 0;
  uint32_t newest_run_ = 0;
};

// `next_number`: what the next new term gets, in the view of the transaction.
PreparedTerms prepare_terms(const ReadTransaction& transaction, const DictionaryTables& tables, TermCache& cache,
                            const TermBatch& batch, uint64_t next_number);

// Those of the batch; places are those of its rows.
std::vector<WantedHash> sorted_hashes(const TermBatch& batch);
// The numbers of those of a batch that are there, by place; 0 for the others. `wanted` ascends; places are those of
// rows.
void find_rows(const ReadTransaction& transaction, const DictionaryTables& tables, TermCache& cache,
               std::span<const std::string_view> rows, std::span<const WantedHash> wanted,
               std::optional<uint32_t> after_run, std::vector<uint64_t>& numbers);

class TermBatchWriter {
 public:
  // A run costs each look-up something until it is merged; pairs by themselves take more room and time.
  enum class PairsGo : uint8_t { ToRun, ToNewPairs };

  TermBatchWriter(WriteTransaction& transaction, const DictionaryTables& tables, TermCache& cache,
                  uint64_t& next_number)
      : transaction_(transaction), tables_(tables), cache_(cache), next_number_(next_number) {}

  // Numbers by place.
  std::vector<uint64_t> write(const PreparedTerms& prepared, PairsGo pairs_go);

 private:
  // Whether a term that is new in the batch has come since.
  bool clashes(const PreparedTerms& prepared) const;
  std::vector<uint64_t> write_unseen(const PreparedTerms& prepared, PairsGo pairs_go);
  void write_run(const PreparedTerms& prepared, uint64_t first);

  WriteTransaction& transaction_;
  const DictionaryTables& tables_;
  TermCache& cache_;
  uint64_t& next_number_;
};

// Whether the store has no phrases, or has grown much since the last were trained.
bool wants_phrases(const ReadTransaction& transaction, const DictionaryTables& tables, uint64_t next_number);
// New phrases, trained from `rows` or a batch beside it, where the store wants some; else null.
// `next_number`: with those rows.
std::shared_ptr<const Phrases> train_phrases(const ReadTransaction& transaction, const DictionaryTables& tables,
                                             TermCache& cache, std::span<const std::string_view> rows,
                                             uint64_t next_number);
// If they are not there.
void write_phrases(WriteTransaction& transaction, const DictionaryTables& tables, TermCache& cache,
                   const std::shared_ptr<const Phrases>& phrases, uint64_t next_number);

}  // namespace quadrille::store
