// The ids of a query's constant terms: each is looked up once, however often it stands there, and whatever for.
#pragma once

#include <map>
#include <optional>

#include "engine/model/quad_source.h"
#include "engine/model/term.h"

namespace quadrille::plan {

class KnownTerms {
 public:
  explicit KnownTerms(const model::QuadSource& source) : source_(source) {}

  // Nothing for a term that the source does not have.
  std::optional<model::TermId> find(const model::Term& term) {
    const auto [entry, is_new] = ids_.try_emplace(term);
    if (is_new) entry->second = source_.find_term(term);
    return entry->second;
  }

 private:
  const model::QuadSource& source_;
  std::map<model::Term, std::optional<model::TermId>> ids_;
};

}  // namespace quadrille::plan
