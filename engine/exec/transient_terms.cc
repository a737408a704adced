#include "engine/exec/transient_terms.h"

#include <utility>

#include "engine/model/inline_term.h"

namespace quadrille::exec {

using model::Term;
using model::TermId;
using model::TermTag;

namespace {

constexpr uint64_t passing_bit = uint64_t{1} << 55;

bool is_passing(TermId id) { return id.is_transient() && (id.payload() & passing_bit) != 0; }

}  // namespace

TermId TransientTerms::id_of(const Term& term) {
  if (const auto known = source_.find_term(term)) return *known;
  auto [entry, is_new] = ids_.try_emplace(term);
  if (is_new) {
    entry->second = TermId(TermTag::Transient, lasting_.size());
    lasting_.push_back(term);
    bytes_ += 2 * (sizeof(Term) + term.text().size()) + 64;
  }
  return entry->second;
}

TermId TransientTerms::pass(Term term) {
  const TermId id(TermTag::Transient, passing_bit | passing_.size());
  passing_.push_back(std::move(term));
  return id;
}

TermId TransientTerms::pass(const model::Value& value) {
  Term term = model::to_term(value);
  if (const auto id = model::inline_id(term)) return *id;
  return pass(std::move(term));
}

TermId TransientTerms::keep(TermId id) {
  if (!is_passing(id)) return id;
  const Term term = passing_[id.payload() & ~passing_bit];  // a copy: id_of may be slow to compare with itself
  return id_of(term);
}

Term TransientTerms::term(TermId id) const {
  if (is_passing(id)) return passing_[id.payload() & ~passing_bit];
  if (id.is_transient()) return lasting_[id.payload()];
  if (id.is_inline()) return model::inline_term(id);
  return source_.get_term(id);
}

model::Value TransientTerms::value(TermId id) const {
  return id.is_inline() ? model::inline_value(id) : model::value_of(term(id));
}

}  // namespace quadrille::exec
