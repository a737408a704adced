// Finds rows of kept columns by the values of some of them: the hash table of joins, DISTINCT and groups.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "engine/exec/batch.h"

namespace quadrille::exec {

inline constexpr uint32_t no_row = UINT32_MAX;

// The rows live elsewhere, in `rows`, which may grow; the index holds their numbers.
class RowIndex {
 public:
  // Rows are equal when they are in the columns of `keys`.
  RowIndex(const Batch& rows, std::vector<size_t> keys) : rows_(rows), keys_(std::move(keys)), heads_(64, no_row) {}

  static uint64_t mix(uint64_t hash, TermId id) noexcept {
    hash = (hash ^ id.bits()) * 0x9E3779B97F4A7C15u;
    return hash ^ (hash >> 29);
  }
  uint64_t hash_of(const Batch& batch, const std::vector<size_t>& columns, size_t row) const {
    uint64_t hash = 0x243F6A8885A308D3u;
    for (size_t column : columns) hash = mix(hash, batch.at(row, column));
    return hash;
  }

  // Adds a row of rows() that comes after all that were added.
  void add(uint32_t row, uint64_t hash) {
    if (hashes_.size() * 2 >= heads_.size()) grow();
    hashes_.push_back(hash);
    numbers_.push_back(row);
    nexts_.push_back(heads_[slot(hash)]);
    heads_[slot(hash)] = static_cast<uint32_t>(hashes_.size() - 1);
  }
  void add(uint32_t row) { add(row, hash_of(rows_, keys_, row)); }

  // Forgets `row` and all that were added after it.
  void forget_from(uint32_t row) {
    while (!numbers_.empty() && numbers_.back() >= row) {
      heads_[slot(hashes_.back())] = nexts_.back();  // the newest comes first
      numbers_.pop_back();
      hashes_.pop_back();
      nexts_.pop_back();
    }
  }

  // Calls visit(row) for each row whose keys equal those of `batch` at `row`, newest first, until it returns false.
  template <class Visit>
  void find(const Batch& batch, const std::vector<size_t>& columns, size_t row, uint64_t hash, Visit&& visit) const {
    for (uint32_t entry = heads_[slot(hash)]; entry != no_row; entry = nexts_[entry]) {
      if (hashes_[entry] != hash || !equal(batch, columns, row, numbers_[entry])) continue;
      if (!visit(numbers_[entry])) return;
    }
  }
  uint32_t find_one(const Batch& batch, const std::vector<size_t>& columns, size_t row, uint64_t hash) const {
    uint32_t found = no_row;
    find(batch, columns, row, hash, [&](uint32_t one) {
      found = one;
      return false;
    });
    return found;
  }
  static constexpr size_t bytes_per_row = 24;

 private:
  size_t slot(uint64_t hash) const noexcept { return (hash >> 7) & (heads_.size() - 1); }
  bool equal(const Batch& batch, const std::vector<size_t>& columns, size_t row, uint32_t kept) const {
    for (size_t i = 0; i < keys_.size(); ++i) {
      if (batch.at(row, columns[i]) != rows_.at(kept, keys_[i])) return false;
    }
    return true;
  }
  void grow() {
    heads_.assign(heads_.size() * 4, no_row);
    for (uint32_t entry = 0; entry < hashes_.size(); ++entry) {
      nexts_[entry] = heads_[slot(hashes_[entry])];
      heads_[slot(hashes_[entry])] = entry;
    }
  }

  const Batch& rows_;
  std::vector<size_t> keys_;
  std::vector<uint32_t> heads_;
  std::vector<uint32_t> nexts_;
  std::vector<uint64_t> hashes_;
  std::vector<uint32_t> numbers_;
};

}  // namespace quadrille::exec
