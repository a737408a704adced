// The distinct terms of a part of a load: rows of the dictionary, side by side, each once.
#pragma once

#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/term_id.h"
#include "engine/model/term_view.h"

namespace quadrille::load {

// Tells the terms of one load apart: 128 bits, seeded anew for each load, so that nobody can write a document that
// makes two terms look like one. By chance that would happen to ten billion terms once in 10^18 loads.
struct Fingerprint {
  uint64_t low = 0;
  uint64_t high = 0;
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

inline Fingerprint fingerprint_of(std::string_view row, uint64_t seed) noexcept {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(row.data(), row.size(), seed);
  return {hash.low64, hash.high64};
}

// A term by its place in TermRows.
using TermNumber = uint32_t;

class TermRows {
 public:
  explicit TermRows(uint64_t seed) : seed_(seed), slots_(slots_at_first, no_term) {}

  // The term's number; a new one for a term that was not there yet. Numbers count from 0.
  TermNumber number_of(const model::TermView& term);

  size_t size() const noexcept { return entries_.size(); }
  size_t text_bytes() const noexcept { return text_.size(); }
  // The row of a term that is not inline; else empty.
  std::string_view row(TermNumber term) const noexcept {
    return std::string_view(text_).substr(entries_[term].start, entries_[term].size);
  }
  const Fingerprint& fingerprint(TermNumber term) const noexcept { return entries_[term].fingerprint; }
  // Bound for inline terms only.
  model::TermId inline_id(TermNumber term) const noexcept { return entries_[term].inline_id; }

  // Room for the terms of so much text, as a guess.
  void reserve_for(size_t text_bytes) {
    text_.reserve(text_bytes / 2);
    entries_.reserve(text_bytes / 256);
  }
  // Forgets how to find terms: nothing can be added any more, and it takes less memory.
  void seal() { slots_ = {}; }

 private:
  struct Entry {
    Fingerprint fingerprint;
    size_t start = 0;
    uint32_t size = 0;
    model::TermId inline_id;
  };
  static constexpr size_t slots_at_first = size_t{1} << 12;
  static constexpr TermNumber no_term = ~TermNumber{0};

  void grow();

  uint64_t seed_;
  std::string text_;
  std::vector<Entry> entries_;
  std::vector<TermNumber> slots_;  // open addressing; a power of two, at most half full
};

}  // namespace quadrille::load
