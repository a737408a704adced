#include "engine/plan/value_range.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "engine/model/inline_term.h"

namespace quadrille::plan {

using model::TermId;
using model::TermTag;
using sparql::Function;

namespace {

// Payloads that are written in another way, or lie in another time zone, but may be equal to this one.
std::optional<std::pair<uint64_t, uint64_t>> equals_of(TermId constant) {
  constexpr uint64_t decimal_variants = 8;
  constexpr uint64_t zone_hours = 15;  // more than XML Schema has, each way
  uint64_t variants = 1;
  uint64_t slack = 0;  // in units of the value
  switch (constant.tag()) {
    case TermTag::Integer: break;
    case TermTag::Decimal: variants = decimal_variants; break;
    case TermTag::Date:
      variants = model::inline_date_variants;
      slack = 2 * zone_hours * 60;
      break;
    case TermTag::DateTime:
      variants = model::inline_date_time_variants;
      slack = 2 * zone_hours * 3600 * 1000;
      break;
    default: return std::nullopt;
  }
  const uint64_t value = constant.payload() / variants;
  const uint64_t greatest = TermId::payload_mask / variants;
  const uint64_t low = value - std::min(value, slack);
  const uint64_t high = std::min(greatest, value + slack);
  return std::pair{low * variants, std::min(TermId::payload_mask, high * variants + variants - 1)};
}

}  // namespace

std::optional<ValueRange> range_of(Function function, TermId constant) {
  const auto equals = equals_of(constant);
  if (!equals) return std::nullopt;
  const TermTag tag = constant.tag();
  const TermId from(tag, equals->first);
  const TermId to(tag, equals->second);
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
