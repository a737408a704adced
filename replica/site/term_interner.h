// From the terms of a document to ids of a store, with a memory of those that came lately: most terms of a document are
// repetitions (its properties, its classes, the subject of the line before).
#pragma once

#include <string>
#include <vector>

#include "engine/model/quad_source.h"
#include "engine/model/term_id.h"
#include "engine/model/term_view.h"

namespace quadrille::replica {

// For one transaction, on one thread.
class TermInterner {
 public:
  // `target` must outlive this.
  explicit TermInterner(model::QuadTarget& target);
  model::TermId id_of(const model::TermView& term);

 private:
  // Direct-mapped: a term that falls on another's place takes it over.
  struct Entry {
    model::TermKind kind = model::TermKind::Iri;
    std::string text;
    std::string qualifier;
    model::TermId id;  // unbound: nothing here
  };
  static constexpr size_t entry_count = size_t{1} << 15;

  model::QuadTarget& target_;
  std::vector<Entry> entries_;
};

}  // namespace quadrille::replica
