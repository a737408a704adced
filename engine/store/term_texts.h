// From numbers to the rows of terms, wherever they stand (dictionary_tables.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "engine/store/dictionary_tables.h"
#include "engine/store/term_cache.h"

namespace quadrille::store {

// A row, and what keeps its bytes alive; in a write transaction they live no longer than until its next write.
struct StoredRow {
  std::string_view row;
  std::shared_ptr<const void> owner;
};

// Reads of one transaction, which must outlive it.
class TermTexts {
 public:
  TermTexts(const ReadTransaction& transaction, const DictionaryTables& tables, TermCache& cache)
      : transaction_(transaction), tables_(tables), cache_(cache) {}

  // Neighbours that are read one after the other are read cheaply.
  std::optional<StoredRow> find(uint64_t number);

  // Only where long rows stand.
  std::optional<StoredRow> find_large(uint64_t number) const;
  // Null for 0. Throws where there are none of that number.
  std::shared_ptr<const Phrases> phrases_of(uint32_t number) const;
  // Null where there are none yet.
  std::shared_ptr<const Phrases> newest_phrases() const;

 private:
  std::shared_ptr<const TermFrame> find_frame(uint64_t number);
  std::shared_ptr<const Phrases> read_phrases(const Cursor& cursor) const;
  std::shared_ptr<const TermFrame> read_frame(const Cursor& cursor, const TermBlock& block, size_t index);

  const ReadTransaction& transaction_;
  const DictionaryTables& tables_;
  TermCache& cache_;
  std::shared_ptr<const TermFrame> last_;  // read
};

// The pieces of a row that is too long for a block.
std::string encode_large_piece(std::string_view text);
inline constexpr size_t large_piece_bytes = 256 << 10;

}  // namespace quadrille::store
