#include "engine/store/term_hash_cache.h"

#include <algorithm>
#include <utility>

namespace quadrille::store {
namespace {

constexpr size_t entries_at_first = 256;

}  // namespace

TermHashCache::TermHashCache(size_t entries_max)
    : entries_max_(entries_max), entries_(std::min(entries_at_first, entries_max)) {}

void TermHashCache::keep(model::TermId id, uint64_t hash) {
  if (kept_ >= entries_.size() && entries_.size() < entries_max_) grow();
  Entry& entry = entries_[place_of(id)];
  if (entry.id != id) ++kept_;
  entry = {id, hash};
}

void TermHashCache::grow() {
  const std::vector<Entry> old = std::exchange(entries_, std::vector<Entry>(entries_.size() * 4));
  if (entries_.size() > entries_max_) entries_.resize(entries_max_);
  kept_ = 0;
  for (const Entry& entry : old) {
    if (!entry.id.is_bound()) continue;
    entries_[place_of(entry.id)] = entry;
    ++kept_;
  }
}

}  // namespace quadrille::store
