#include "engine/plan/value_range.h"

#include <algorithm>
#include <cstdint>

#include "engine/model/inline_term.h"

namespace quadrille::plan {

using model::TermId;
using model::TermTag;
using sparql::Function;

namespace {

// How many ways of writing one value, or zones of one moment, there are among the payloads of a kind whose ids order as
// the values do; 0: of another kind.
//
// Of two moments of which one has no time zone, XML Schema knows an order only where they are more than 14 hours apart:
// that is then the order of their ids too.
uint64_t variants_of(TermTag tag) {
  constexpr uint64_t decimal_variants = 8;
  switch (tag) {
    case TermTag::Integer: return 1;
    case TermTag::Decimal: return decimal_variants;
    case TermTag::Date: return model::inline_date_variants;
    case TermTag::DateTime: return model::inline_date_time_variants;
    default: return 0;
  }
}

}  // namespace

std::optional<ValueRange> range_of(Function function, TermId constant) {
  const TermTag tag = constant.tag();
  const uint64_t variants = variants_of(tag);
  if (variants == 0) return std::nullopt;
  const uint64_t first = constant.payload() / variants * variants;
  const TermId from(tag, first);
  const TermId to(tag, std::min(TermId::payload_mask, first + variants - 1));
  switch (function) {
    case Function::Less:
    case Function::LessOrEqual: return ValueRange{TermId(tag, 0), to};
    case Function::Greater:
    case Function::GreaterOrEqual: return ValueRange{from, TermId(tag, TermId::payload_mask)};
    case Function::Equal: return ValueRange{from, to};
    default: return std::nullopt;
  }
}

ValueRange narrowed(const ValueRange& range, const ValueRange& other) {
  if (!range.is_given()) return other;
  if (range.low.tag() != other.low.tag()) return range;
  return {std::max(range.low, other.low), std::min(range.high, other.high)};
}

}  // namespace quadrille::plan
