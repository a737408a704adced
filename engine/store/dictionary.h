// Terms and their ids. A term that inline_term.h cannot put into the id itself stands here, once.
//
// Numbers (the payloads of ids) are given in ascending order. New terms stand as they are in two tables for a while: a
// small write must not rewrite a block. The fold moves them into compressed blocks, in steps; bulk loads write blocks
// at once (term_batch.h). Terms may be of any size and content, and hashes may collide: whole terms are compared.
// Tables and formats: dictionary_tables.h, term_row.h, term_block.h, hash_block.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/term.h"
#include "engine/model/term_id.h"
#include "engine/store/dictionary_tables.h"
#include "engine/store/term_batch.h"
#include "engine/store/term_hash_cache.h"
#include "engine/store/term_row.h"
#include "engine/store/term_texts.h"

namespace quadrille::store {

// Reads of one transaction, which must outlive it. Belongs to one thread at a time.
class Dictionary {
 public:
  Dictionary(const ReadTransaction& transaction, const DictionaryTables& tables, TermCache& cache, TermHash hash)
      : transaction_(transaction), tables_(tables), cache_(cache), hash_(hash), texts_(transaction, tables, cache) {}

  // Inline terms too. Requires for get that `id` came from this store.
  std::optional<model::TermId> find(const model::Term& term);
  model::Term get(model::TermId id);

 protected:
  std::optional<model::TermId> find_row(std::string_view row, uint64_t hash);

  const ReadTransaction& transaction_;
  const DictionaryTables& tables_;
  TermCache& cache_;
  TermHash hash_;
  TermTexts texts_;
  std::vector<uint64_t> numbers_;  // of a look-up
};

// Writes of one transaction. `next_number` is the number for the next new term; it is counted up. `hashes` gets what is
// interned.
class DictionaryWriter : public Dictionary {
 public:
  DictionaryWriter(WriteTransaction& transaction, const DictionaryTables& tables, TermCache& cache, TermHash hash,
                   TermHashCache& hashes, uint64_t& next_number)
      : Dictionary(transaction, tables, cache, hash),
        writing_(transaction),
        hashes_(hashes),
        next_number_(next_number) {}

  model::TermId intern(const model::Term& term);
  // The same for many: sorted by hash first, so that the index is walked once, in ascending order. What comes together
  // gets numbers that are close together.
  std::vector<model::TermId> intern_all(std::span<const model::Term> terms);
  std::vector<model::TermId> intern_prepared(const PreparedTerms& prepared);

 private:
  model::TermId add(std::string_view row, uint64_t hash);
  model::TermId with_hash(model::TermId id, std::string_view row, uint64_t hash);
  std::vector<uint64_t> intern_batch(const TermBatch& batch);
  void add_all(const TermBatch& batch, std::span<const WantedHash> wanted, std::vector<uint64_t>& numbers);
  TermBatchWriter batch_writer() { return {writing_, tables_, cache_, next_number_}; }

  WriteTransaction& writing_;
  TermHashCache& hashes_;
  uint64_t& next_number_;
};

}  // namespace quadrille::store
