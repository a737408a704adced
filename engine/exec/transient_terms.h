// The terms that a query makes itself: their ids, and the way back.
//
// Two kinds. A *lasting* id is canonical: equal terms have equal ids, and a term that the source knows has the source's
// id, so that joins and DISTINCT may compare ids. A *passing* id is what an expression hands to the expression above
// it: made without any look-up, forgotten when the batch is done. keep() makes a lasting id of any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
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
  // A passing id, or a lasting one where that costs nothing (inline values).
  model::TermId pass(model::Term term);
  model::TermId pass(const model::Value& value);
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
  const model::QuadSource& source_;
  std::deque<model::Term> lasting_;
  std::map<model::Term, model::TermId> ids_;
  std::vector<model::Term> passing_;
  size_t bytes_ = 0;
};

}  // namespace quadrille::exec
