// The terms that a query makes itself: their ids, and the way back.
//
// Two kinds. A *lasting* id is canonical: equal terms have equal ids, and a term that the source knows has the source's
// id, so that joins and DISTINCT may compare ids. A *passing* id is what an expression hands to the expression above
// it: made without any look-up and without text, forgotten when the batch is done. keep() makes a lasting id of any.
// An xsd:float is passed in the id itself, so it is never forgotten; it still has to be kept to be compared by id.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "engine/model/quad_source.h"
#include "engine/model/term.h"
#include "engine/model/term_id.h"
#include "engine/model/value.h"

namespace quadrille::exec {

class TransientTerms {
 public:
  explicit TransientTerms(const model::QuadSource& source) : source_(source) {}

  // A lasting id.
  model::TermId id_of(const model::Term& term);
  // A passing id, or a lasting one where that costs nothing (small integers, booleans).
  model::TermId pass(model::Term term);
  model::TermId pass(const model::Value& value);
  static model::TermId pass_float(float number) noexcept {
    return model::TermId(model::TermTag::Transient, passing_bit | float_bit | std::bit_cast<uint32_t>(number));
  }
  static bool is_passed_float(model::TermId id) noexcept {
    return id.is_transient() && (id.payload() & (passing_bit | float_bit)) == (passing_bit | float_bit);
  }
  static float passed_float(model::TermId id) noexcept {
    return std::bit_cast<float>(static_cast<uint32_t>(id.payload()));
  }
  // True for ids that mean the same as long as the run lasts.
  static bool is_never_forgotten(model::TermId id) noexcept { return !is_forgettable(id); }
  // The lasting id of the same term.
  model::TermId keep(model::TermId id);
  // Forgets the passing ids made since the mark. Evaluations nest (a filter inside an EXISTS inside a filter), so each
  // forgets only its own.
  size_t mark() const noexcept { return passing_.size(); }
  void forget_since(size_t mark) {
    passing_.erase(passing_.begin() + static_cast<std::ptrdiff_t>(mark), passing_.end());
  }

  // The term of any bound id.
  model::Term term(model::TermId id) const;
  model::Value value(model::TermId id) const;
  size_t bytes() const noexcept { return bytes_; }

 private:
  // Payloads of Transient: a number in lasting_; or, with the first bit, one in passing_; or, with both, a float's
  // bits.
  static constexpr uint64_t passing_bit = uint64_t{1} << 55;
  static constexpr uint64_t float_bit = uint64_t{1} << 54;
  static bool is_forgettable(model::TermId id) noexcept {
    return id.is_transient() && (id.payload() & (passing_bit | float_bit)) == passing_bit;
  }
  const std::variant<model::Term, model::Value>& passing(model::TermId id) const {
    return passing_[id.payload() & ~passing_bit];
  }

  const model::QuadSource& source_;
  std::deque<model::Term> lasting_;
  std::map<model::Term, model::TermId> ids_;
  std::vector<std::variant<model::Term, model::Value>> passing_;
  size_t bytes_ = 0;
};

}  // namespace quadrille::exec
