// Which id each term of a load has: a cache of the dictionary in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/load/term_rows.h"

namespace quadrille::load {

// Two generations: when the young one is full it becomes the old one, whose terms come back when they are met again.
// So what is met often stays, and what is not found here is to be looked up in the dictionary.
class TermTable {
 public:
  // `terms_max` (at least 2) terms in both generations together; about 40 bytes each.
  explicit TermTable(size_t terms_max) : generation_max_(terms_max / 2) {}

  // Unbound if it is not known (any more).
  model::TermId find(const Fingerprint& fingerprint);
  // Replaces what is known of that term.
  void set(const Fingerprint& fingerprint, model::TermId id);
  // How often the generations have turned. What was set is still known after one turn, and may not be after two.
  uint64_t turns() const noexcept { return turns_; }
  // Asks the memory for what find will look at.
  void prefetch(const Fingerprint& fingerprint) const noexcept { young_.prefetch(fingerprint); }

 private:
  struct Entry {
    Fingerprint fingerprint;
    model::TermId id;  // unbound: free
  };
  class Generation {
   public:
    // Where the term stands, or would stand. Null in an empty generation.
    const Entry* find(const Fingerprint& fingerprint) const noexcept;
    void set(const Fingerprint& fingerprint, model::TermId id);
    size_t size() const noexcept { return size_; }
    void prefetch(const Fingerprint& fingerprint) const noexcept {
      if (!entries_.empty()) __builtin_prefetch(&entries_[fingerprint.low & (entries_.size() - 1)]);
    }

   private:
    size_t place_of(const Fingerprint& fingerprint) const noexcept;
    void grow();
    std::vector<Entry> entries_;  // open addressing; a power of two, at most two thirds full
    size_t size_ = 0;
  };

  size_t generation_max_;
  Generation young_, old_;
  uint64_t turns_ = 0;
};

}  // namespace quadrille::load
