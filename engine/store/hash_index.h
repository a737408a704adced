// From hashes to the numbers of the terms that may have them (dictionary_tables.h): whoever asks compares the terms.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/store/dictionary_tables.h"

namespace quadrille::store {

// A hash to be looked up, and what it is to the caller.
struct WantedHash {
  uint64_t hash = 0;
  uint32_t place = 0;
  friend auto operator<=>(const WantedHash&, const WantedHash&) = default;
};

struct Candidate {
  uint64_t number = 0;
  uint32_t place = 0;
  friend auto operator<=>(const Candidate&, const Candidate&) = default;
};

struct EncodedHashBlock {
  HashEntry first;
  std::string value;
};

// Reads of one transaction, which must outlive it.
class HashIndex {
 public:
  HashIndex(const ReadTransaction& transaction, const DictionaryTables& tables)
      : transaction_(transaction), tables_(tables) {}

  // Appends; a number may come twice.
  void find(uint64_t hash, std::vector<uint64_t>& numbers) const;
  // The same for many, in ascending order. With `after_run`: only among new pairs, and in runs newer than that one.
  void find_all(std::span<const WantedHash> wanted, std::optional<uint32_t> after_run,
                std::vector<Candidate>& candidates) const;

  uint32_t newest_run() const;  // 0: only the base, or not even that

 private:
  void find_in_new(std::span<const WantedHash> wanted, std::vector<Candidate>& candidates) const;
  void find_in_run(Cursor& cursor, uint32_t run, std::span<const WantedHash> wanted,
                   std::vector<Candidate>& candidates) const;

  const ReadTransaction& transaction_;
  const DictionaryTables& tables_;
};

// Throws for a damaged block.
HashBlock read_hash_block(const ReadTransaction& transaction, const Table& table, const Cursor& cursor);
// All entries, which ascend, in full blocks.
std::vector<EncodedHashBlock> encode_hash_blocks(std::span<const HashEntry> entries);

}  // namespace quadrille::store
