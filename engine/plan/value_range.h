// Which objects a comparison with a constant may let through, as a range of ids: inline values of one kind order as
// their ids do (model/inline_term.h), so a scan may pass over the rest of that kind. Whatever is of another kind it
// must read.
#pragma once

#include <optional>

#include "engine/model/term_id.h"
#include "engine/sparql/expression.h"

namespace quadrille::plan {

// Of the ids with the tag of `low`, which `high` has too, those outside are of no use. Both unbound: no range.
struct ValueRange {
  model::TermId low;
  model::TermId high;

  bool is_given() const noexcept { return low.is_bound(); }
  bool leaves_out(model::TermId id) const noexcept { return id.tag() == low.tag() && (id < low || id > high); }
};

// What `value FUNCTION constant` leaves of the constant's kind; nothing where ids do not tell.
std::optional<ValueRange> range_of(sparql::Function function, model::TermId constant);

// What both leave, where they speak of one kind; else the first.
ValueRange narrowed(const ValueRange& range, const ValueRange& other);

}  // namespace quadrille::plan
