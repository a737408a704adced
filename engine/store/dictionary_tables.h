// The tables of the dictionary, and their keys. Numbers are those of terms (TermId::payload), given in ascending order.
//
//   terms.blocks   first number (8 bytes)             -> a block of terms (term_block.h)
//   terms.new      number (8)                         -> a row (term_row.h): terms that no block has yet
//   terms.large    number (8), piece (4)              -> a piece of a row that is too long for a block:
//                  4 bytes of checksum (the low half of XXH3 over the rest), 4 the size of its text, and the bytes:
//                  zstd, or the text itself where the sizes are equal
//   terms.phrases  order of training (8), number (4)  -> phrases (phrases.h)
//   hashes.blocks  run (4), hash (5), number (7)      -> a block of pairs (hash_block.h), and the first of them
//   hashes.new     hash (8), number (8)               -> nothing: pairs that no block has yet
//   metadata       "term_fold"                        -> FoldState
//
// A term stands in terms.new, in a block, or in terms.large; while the last is being written it is in terms.new too,
// and that counts. The run 0 of hashes.blocks is the base, others came of bulk loads; what the fold has merged into the
// base may still stand in its run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/store/environment.h"
#include "engine/store/hash_block.h"
#include "engine/store/key.h"

namespace quadrille::store {

struct DictionaryTables {
  Table blocks;
  Table new_terms;
  Table large;
  Table phrases;
  Table hashes;
  Table new_hashes;
  Table metadata;  // the store's
};

// The key of blocks and new_terms.
class NumberKey {
 public:
  explicit NumberKey(uint64_t number) { write_big_endian(bytes_, number); }
  std::string_view view() const { return {bytes_, sizeof bytes_}; }

 private:
  char bytes_[8];
};

// The key of large and phrases.
class PieceKey {
 public:
  PieceKey(uint64_t number, uint32_t piece) {
    write_big_endian(bytes_ + 4, piece);
    write_big_endian(bytes_, number);
  }
  std::string_view view() const { return {bytes_, sizeof bytes_}; }
  static uint32_t piece_of(std::string_view key) { return static_cast<uint32_t>(big_endian_at(key, 4)); }

 private:
  char bytes_[12];
};

class NewHashKey {
 public:
  NewHashKey(uint64_t hash, uint64_t number) {
    write_big_endian(bytes_, hash);
    write_big_endian(bytes_ + 8, number);
  }
  std::string_view view() const { return {bytes_, sizeof bytes_}; }

 private:
  char bytes_[16];
};

class HashBlockKey {
 public:
  HashBlockKey(uint32_t run, const HashEntry& first) {
    write_big_endian(bytes_, static_cast<uint64_t>(run) << 32 | first.hash >> 8);
    write_big_endian(bytes_ + 8, first.hash << 56 | first.number);
  }
  std::string_view view() const { return {bytes_, sizeof bytes_}; }

  static uint32_t run_of(std::string_view key) { return static_cast<uint32_t>(big_endian_at(key, 0) >> 32); }
  static uint64_t hash_of(std::string_view key) {
    return (big_endian_at(key, 0) & 0xffffffff) << 8 | big_endian_at(key, 8) >> 56;
  }

 private:
  char bytes_[16];
};

// How far the fold of the dictionary has come.
struct FoldState {
  uint64_t steps = 0;     // ever made
  uint64_t base_end = 0;  // the next number when the last merging into the base began
  // Of a merging that is under way:
  uint64_t next_hash = 0;  // short: the pairs of hashes before it are merged; 0: none is under way
  uint32_t target = 0;     // the run into which pairs are merged: the base, or run 1
  uint32_t last_run = 0;   // the newest run that takes part

  static FoldState read(const ReadTransaction& transaction, const DictionaryTables& tables);
  void write(WriteTransaction& transaction, const DictionaryTables& tables) const;
};

}  // namespace quadrille::store
