// Terms and their ids. A term that inline_term.h cannot put into the id itself stands here, once.
//
// Two tables: "terms" maps a number (8 bytes, big-endian) to the term; "term_ids" has rows without a value whose key is
// the term's 64-bit hash and its id (16 bytes), so that terms which share a hash stand side by side, and a look-up
// compares whole terms. Terms may be of any size.
//
// Format of a row of "terms": a byte that says the kind (0 IRI, 1 blank node, 2 string, 3 with language, 4 typed);
// for the last two a qualifier (language tag, datatype IRI) as 4 bytes of length, little-endian, and its bytes; the
// text.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/term.h"
#include "engine/model/term_id.h"
#include "engine/store/environment.h"

namespace quadrille::store {

// From the bytes of a term's row to its hash. Part of the format.
using TermHash = uint64_t (*)(std::string_view row) noexcept;
uint64_t hash_term(std::string_view row) noexcept;  // XXH3, 64 bits

struct DictionaryTables {
  Table terms;
  Table term_ids;
};

// A term as its row, and back. decode_term throws StorageError (Corruption) for bytes that are no row.
std::string encode_term(const model::Term& term);
model::Term decode_term(std::string_view row);

// Reads of one transaction, which must outlive it.
class Dictionary {
 public:
  Dictionary(const ReadTransaction& transaction, const DictionaryTables& tables, TermHash hash)
      : transaction_(transaction), tables_(tables), hash_(hash) {}

  // Inline terms too. Requires for get that `id` came from this store.
  std::optional<model::TermId> find(const model::Term& term) const;
  model::Term get(model::TermId id) const;
  // Whether the dictionary itself (not an inline id) has this id, kind included.
  bool has(model::TermId id) const;

 protected:
  const ReadTransaction& transaction_;
  const DictionaryTables& tables_;
  TermHash hash_;
};

// Writes of one transaction. `next_number` is the number for the next new term; it is counted up.
class DictionaryWriter : public Dictionary {
 public:
  DictionaryWriter(WriteTransaction& transaction, const DictionaryTables& tables, TermHash hash, uint64_t& next_number)
      : Dictionary(transaction, tables, hash), writing_(transaction), next_number_(next_number) {}

  model::TermId intern(const model::Term& term);
  // The same for many: sorted by hash first, so that the index is walked once, in ascending order.
  std::vector<model::TermId> intern_all(std::span<const model::Term> terms);

 private:
  struct WantedTerm;
  struct WantedGroup;
  static std::vector<WantedGroup> group_equal(std::vector<WantedTerm>& wanted, const std::vector<std::string>& rows);
  // New terms get their numbers in the order in which they were given: what comes together lies together.
  void add_all(std::vector<WantedGroup*>& groups);
  model::TermId add(Cursor& index, uint64_t hash, std::string_view row);
  WriteTransaction& writing_;
  uint64_t& next_number_;
};

}  // namespace quadrille::store
