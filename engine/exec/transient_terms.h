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
  // For one thread among several (`lane` > 0): knows the terms of `above` too, which may not change while this is used.
  // Ids are canonical within the lane: rows that come from `above` go through take_in().
  TransientTerms(const model::QuadSource& source, const TransientTerms& above, uint32_t lane)
      : source_(source), above_(&above), lane_(lane) {}

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

  // Replaces lasting ids of `lane`, which was made above this, by ids of this.
  void adopt(const TransientTerms& lane, std::vector<model::TermId>& ids);
  // Of a lane: replaces ids of terms that it made before `above` had them by its own, under which it knows them.
  void take_in(std::vector<model::TermId>& ids) const;

  // The term of any bound id.
  model::Term term(model::TermId id) const;
  model::Value value(model::TermId id) const;
  size_t bytes() const noexcept { return bytes_; }

 private:
  // Payloads of Transient: a lane and a number in its lasting_; or, with the first bit, one in passing_; or, with both,
  // a float's bits.
  static constexpr int lane_shift = 40;
  static constexpr uint64_t passing_bit = uint64_t{1} << 55;
  static constexpr uint64_t float_bit = uint64_t{1} << 54;
  static bool is_forgettable(model::TermId id) noexcept {
    return id.is_transient() && (id.payload() & (passing_bit | float_bit)) == passing_bit;
  }
  // Made by a run, and lasting.
  static bool is_lasting(model::TermId id) noexcept { return id.is_transient() && (id.payload() & passing_bit) == 0; }
  // Of such an id.
  static uint32_t lane_of(model::TermId id) noexcept { return static_cast<uint32_t>(id.payload() >> lane_shift); }
  static size_t number_of(model::TermId id) noexcept {
    return static_cast<size_t>(id.payload() & ((uint64_t{1} << lane_shift) - 1));
  }
  const model::Term& lasting(model::TermId id) const noexcept {
    return (lane_of(id) == lane_ ? lasting_ : above_->lasting_)[number_of(id)];
  }
  // Of a term that the source does not know.
  model::TermId make_lasting(const model::Term& term);
  const std::variant<model::Term, model::Value>& passing(model::TermId id) const {
    return passing_[id.payload() & ~passing_bit];
  }

  const model::QuadSource& source_;
  const TransientTerms* above_ = nullptr;
  uint32_t lane_ = 0;
  std::deque<model::Term> lasting_;
  std::map<model::Term, model::TermId> ids_;
  std::vector<std::variant<model::Term, model::Value>> passing_;
  size_t bytes_ = 0;
};

}  // namespace quadrille::exec
