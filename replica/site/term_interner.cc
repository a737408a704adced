#include "replica/site/term_interner.h"

#include <functional>
#include <string_view>

namespace quadrille::replica {
namespace {

constexpr size_t longest_remembered = 512;

}  // namespace

TermInterner::TermInterner(model::QuadTarget& target) : target_(target), entries_(entry_count) {}

model::TermId TermInterner::id_of(const model::TermView& term) {
  if (term.text.size() > longest_remembered) return target_.intern(term.to_term());
  const std::hash<std::string_view> hash;
  const size_t place = (hash(term.text) ^ hash(term.qualifier) * 31 ^ static_cast<size_t>(term.kind)) % entry_count;
  auto& entry = entries_[place];
  const bool is_known =
      entry.id.is_bound() && entry.kind == term.kind && entry.text == term.text && entry.qualifier == term.qualifier;
  if (!is_known) {
    entry.id = target_.intern(term.to_term());
    entry.kind = term.kind;
    entry.text = term.text;
    entry.qualifier = term.qualifier;
  }
  return entry.id;
}

}  // namespace quadrille::replica
