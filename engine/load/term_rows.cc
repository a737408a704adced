#include "engine/load/term_rows.h"

#include "engine/model/inline_term.h"
#include "engine/store/term_row.h"

namespace quadrille::load {

TermNumber TermRows::number_of(const model::TermView& term) {
  const size_t start = text_.size();
  store::append_term_row(text_, term);
  const std::string_view row = std::string_view(text_).substr(start);
  const Fingerprint fingerprint = fingerprint_of(row, seed_);
  const size_t mask = slots_.size() - 1;
  size_t slot = fingerprint.low & mask;
  for (; slots_[slot] != no_term; slot = (slot + 1) & mask) {
    if (entries_[slots_[slot]].fingerprint != fingerprint) continue;
    text_.resize(start);
    return slots_[slot];
  }
  const auto number = static_cast<TermNumber>(entries_.size());
  slots_[slot] = number;
  Entry& entry = entries_.emplace_back(Entry{fingerprint, start, static_cast<uint32_t>(row.size()), {}});
  if (!term.qualifier.empty() && term.qualifier.front() != '@') {
    if (const auto id = model::inline_id(term.to_term())) {
      entry.inline_id = *id;
      entry.size = 0;
      text_.resize(start);
    }
  }
  if (entries_.size() * 2 > slots_.size()) grow();
  return number;
}

void TermRows::grow() {
  slots_.assign(slots_.size() * 2, no_term);
  const size_t mask = slots_.size() - 1;
  for (TermNumber number = 0; number < entries_.size(); ++number) {
    size_t slot = entries_[number].fingerprint.low & mask;
    while (slots_[slot] != no_term) slot = (slot + 1) & mask;
    slots_[slot] = number;
  }
}

}  // namespace quadrille::load
