// The hashes of terms that digests are made of (digest.h), as far as they were needed lately: a hash costs a look into
// the dictionary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/model/term_id.h"

namespace quadrille::store {

// Bounded: one place for each hash of an id, the newer one stays. Belongs to one thread at a time.
class TermHashCache {
 public:
  // `entries_max`: 16 bytes each, a power of two; few are taken at first.
  explicit TermHashCache(size_t entries_max = size_t{1} << 20);

  std::optional<uint64_t> find(model::TermId id) const noexcept {
    const Entry& entry = entries_[place_of(id)];
    return entry.id == id ? std::optional<uint64_t>(entry.hash) : std::nullopt;
  }
  void keep(model::TermId id, uint64_t hash);

 private:
  struct Entry {
    model::TermId id;  // unbound: free
    uint64_t hash = 0;
  };
  size_t place_of(model::TermId id) const noexcept { return std::hash<model::TermId>{}(id) & (entries_.size() - 1); }
  void grow();

  size_t entries_max_;
  size_t kept_ = 0;  // since it grew last
  std::vector<Entry> entries_;
};

}  // namespace quadrille::store
