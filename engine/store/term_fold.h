// The fold of the dictionary: moves new terms into compressed blocks, and new pairs and those of bulk loads into the
// base of the index, in bounded steps. What the dictionary means stays the same, so readers see no difference.
#pragma once

#include <cstdint>

#include "engine/store/dictionary_tables.h"
#include "engine/store/term_cache.h"

namespace quadrille::store {

// Whether so much is new that a step pays: a trickle of terms must not rewrite the index for each. `next_number`: as of
// the transaction.
bool wants_term_fold(const ReadTransaction& transaction, const DictionaryTables& tables, uint64_t next_number);

// One step, also where it would not pay: some milliseconds, whatever there is to do. It moves the text of up to one
// block, or merges some ten thousand pairs. False: there is nothing left to do.
bool fold_terms(WriteTransaction& transaction, const DictionaryTables& tables, TermCache& cache, uint64_t next_number);

}  // namespace quadrille::store
