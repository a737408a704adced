#include "engine/load/term_table.h"

#include <utility>

namespace quadrille::load {

size_t TermTable::Generation::place_of(const Fingerprint& fingerprint) const noexcept {
  const size_t mask = entries_.size() - 1;
  size_t place = fingerprint.low & mask;
  while (entries_[place].id.is_bound() && entries_[place].fingerprint != fingerprint) place = (place + 1) & mask;
  return place;
}

const TermTable::Entry* TermTable::Generation::find(const Fingerprint& fingerprint) const noexcept {
  if (entries_.empty()) return nullptr;
  const Entry& entry = entries_[place_of(fingerprint)];
  return entry.id.is_bound() ? &entry : nullptr;
}

void TermTable::Generation::set(const Fingerprint& fingerprint, model::TermId id) {
  if (size_ * 3 >= entries_.size() * 2) grow();
  Entry& entry = entries_[place_of(fingerprint)];
  if (!entry.id.is_bound()) ++size_;
  entry = {fingerprint, id};
}

void TermTable::Generation::grow() {
  constexpr size_t entries_at_first = size_t{1} << 12;
  const std::vector<Entry> before = std::exchange(entries_, {});
  entries_.resize(before.empty() ? entries_at_first : before.size() * 2);
  for (const Entry& entry : before) {
    if (entry.id.is_bound()) entries_[place_of(entry.fingerprint)] = entry;
  }
}

model::TermId TermTable::find(const Fingerprint& fingerprint) {
  if (const Entry* entry = young_.find(fingerprint)) return entry->id;
  const Entry* entry = old_.find(fingerprint);
  if (entry == nullptr) return {};
  const model::TermId id = entry->id;
  set(fingerprint, id);
  return id;
}

void TermTable::set(const Fingerprint& fingerprint, model::TermId id) {
  if (young_.size() >= generation_max_ && young_.find(fingerprint) == nullptr) {
    old_ = std::exchange(young_, {});
    ++turns_;
  }
  young_.set(fingerprint, id);
}

}  // namespace quadrille::load
