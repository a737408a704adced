#include "engine/exec/transient_terms.h"

#include <utility>

#include "engine/exec/inline_integer.h"
#include "engine/model/inline_term.h"

namespace quadrille::exec {

using model::Term;
using model::TermId;
using model::TermTag;

TermId TransientTerms::id_of(const Term& term) {
  if (const auto known = source_.find_term(term)) return *known;
  if (above_ != nullptr) {
    // What this made is what rows have that it has not laid down yet, though `above` may have adopted it since.
    if (const auto own = ids_.find(term); own != ids_.end()) return own->second;
    if (const auto known = above_->ids_.find(term); known != above_->ids_.end()) return known->second;
  }
  return make_lasting(term);
}

TermId TransientTerms::make_lasting(const Term& term) {
  auto [entry, is_new] = ids_.try_emplace(term);
  if (is_new) {
    entry->second = TermId(TermTag::Transient, uint64_t{lane_} << lane_shift | lasting_.size());
    lasting_.push_back(term);
    bytes_ += 2 * (sizeof(Term) + term.text().size()) + 64;
  }
  return entry->second;
}

TermId TransientTerms::pass(Term term) {
  const TermId id(TermTag::Transient, passing_bit | passing_.size());
  passing_.emplace_back(std::move(term));
  return id;
}

TermId TransientTerms::pass(const model::Value& value) {
  switch (value.kind()) {
    case model::ValueKind::Boolean: return TermId(TermTag::Boolean, value.boolean() ? 1 : 0);
    case model::ValueKind::Float: return pass_float(value.to_float());
    case model::ValueKind::Integer: {
      const auto number = value.decimal().to_int64();
      if (number && fits_inline(*number)) return integer_id(*number);
      break;
    }
    default: break;
  }
  const TermId id(TermTag::Transient, passing_bit | passing_.size());
  passing_.emplace_back(value);
  return id;
}

TermId TransientTerms::keep(TermId id) {
  if (is_forgettable(id) || is_passed_float(id)) return id_of(term(id));
  return id;
}

void TransientTerms::adopt(const TransientTerms& lane, std::vector<TermId>& ids) {
  for (TermId& id : ids) {
    if (is_lasting(id) && lane_of(id) == lane.lane_) id = make_lasting(lane.lasting(id));
  }
}

void TransientTerms::take_in(std::vector<TermId>& ids) const {
  if (ids_.empty()) return;
  for (TermId& id : ids) {
    if (!is_lasting(id)) continue;
    if (const auto own = ids_.find(lasting(id)); own != ids_.end()) id = own->second;
  }
}

Term TransientTerms::term(TermId id) const {
  if (is_passed_float(id)) return model::to_term(model::Value::floating(passed_float(id)));
  if (is_forgettable(id)) {
    const auto& content = passing(id);
    const Term* term = std::get_if<Term>(&content);
    return term != nullptr ? *term : model::to_term(std::get<model::Value>(content));
  }
  if (id.is_transient()) return lasting(id);
  if (id.is_inline()) return model::inline_term(id);
  return source_.get_term(id);
}

model::Value TransientTerms::value(TermId id) const {
  if (id.is_inline()) return model::inline_value(id);
  if (is_passed_float(id)) return model::Value::floating(passed_float(id));
  if (is_forgettable(id)) {
    if (const auto* value = std::get_if<model::Value>(&passing(id))) return *value;
  }
  return model::value_of(term(id));
}

}  // namespace quadrille::exec
