// Small integers, whose ids are computed with as they are (engine/model/inline_term.h).
#pragma once

#include <cstdint>

#include "engine/model/term_id.h"

namespace quadrille::exec {

using model::TermId;

inline constexpr int64_t inline_integer_offset = int64_t{1} << 55;  // as inline_term.h has it
inline bool is_inline_integer(TermId id) noexcept { return id.tag() == model::TermTag::Integer; }
inline int64_t integer_of(TermId id) noexcept { return static_cast<int64_t>(id.payload()) - inline_integer_offset; }
inline bool fits_inline(int64_t value) noexcept {
  return value >= -inline_integer_offset && value < inline_integer_offset;
}
inline TermId integer_id(int64_t value) noexcept {
  return TermId(model::TermTag::Integer, static_cast<uint64_t>(value + inline_integer_offset));
}

}  // namespace quadrille::exec
