// Blocks of the index from hashes to terms: pairs of a hash, cut to 36 bits, and a number, in one value of a table.
//
// Ascending hashes are kept as Elias and Fano do (P. Elias, "Efficient storage and retrieval by content and address of
// static files", 1974): the low bits of each as they are, of the high ones only by how much each is larger than the one
// before. Then a pair takes about 43 bits in a store of any size, and a look-up needs no search: with twice the
// terms, a hash leaves a bit less to be said, and a number a bit more. Hashes so short collide now and then; whoever
// looks up compares the term anyway.
//
// Format of a block, little-endian; the hash of its first pair is in its key:
//   4 bytes  checksum: the low half of XXH3 over the rest
//   2        pairs
//   2        64-bit words of high bits
//   1        width of low bits
//   1        width of numbers
//   2        zero
//   8        the smallest number
//   the words: for pair i, the bit (its hash - the first one >> width) + i is set
//   the low bits of each hash, less the first one
//   the numbers, less the smallest
//   8 bytes, zero
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quadrille::store {

inline constexpr int short_hash_bits = 36;
inline constexpr uint64_t short_hash_end = uint64_t{1} << short_hash_bits;
inline constexpr uint64_t short_hash(uint64_t hash) noexcept { return hash >> (64 - short_hash_bits); }

struct HashEntry {
  uint64_t hash = 0;  // short
  uint64_t number = 0;
  friend auto operator<=>(const HashEntry&, const HashEntry&) = default;
};

// A page of LMDB, less its head.
inline constexpr size_t hash_block_bytes_max = 4096 - 16;

// How many of the entries, which ascend, one block holds: all of them, or as many as fill it. Requires that there are
// some.
size_t fitting_entries(std::span<const HashEntry> entries) noexcept;
std::string encode_hash_block(std::span<const HashEntry> entries);
// Adds to all numbers of an encoded block.
void shift_numbers(std::string& block, uint64_t by) noexcept;

// A block where it lies: valid as long as its bytes.
class HashBlock {
 public:
  // Nothing for a damaged one. `first_hash` is that of the key.
  static std::optional<HashBlock> read(uint64_t first_hash, std::string_view value) noexcept;

  uint64_t first_hash() const noexcept { return first_hash_; }
  uint64_t last_hash() const noexcept { return last_hash_; }
  // Appends the numbers that have this hash.
  void find(uint64_t hash, std::vector<uint64_t>& numbers) const;
  void append_entries(std::vector<HashEntry>& out) const;

 private:
  uint64_t word(size_t index) const noexcept;
  uint64_t low_bits(size_t index) const noexcept;
  uint64_t number(size_t index) const noexcept;

  uint64_t first_hash_ = 0, last_hash_ = 0, first_number_ = 0;
  size_t count_ = 0, words_ = 0;
  int low_width_ = 0, number_width_ = 0;
  const char* high_ = nullptr;
  const char* low_ = nullptr;
  const char* numbers_ = nullptr;
};

}  // namespace quadrille::store
