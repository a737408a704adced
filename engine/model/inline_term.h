// Literals that stand in the id itself: no dictionary, no look-up, and ids of one tag order as the values do.
//
// Only a literal whose lexical form comes back exactly is inlined: "1"^^xsd:integer is, "01"^^xsd:integer is not.
// Payloads (56 bits, see term_id.h), part of the storage format:
//   Boolean   0 "false", 1 "true"
//   Integer   value + 2^55, canonical text
//   Decimal   (value * 10^6 + 2^52) * 8 + digits after the point (0 to 6), no needless zero before the point
//   Double    the top 56 bits of the IEEE 754 number, negative ones inverted, else the sign bit set; canonical text of
//             numbers whose low 8 bits are 0
//   Date      (minutes from 0001-01-01T00:00Z less one day to its first moment) * 2048 + zone; zone 0 none, 1 "Z",
//             else minutes east of UTC + 842; years from 1
//   DateTime  (milliseconds since the same moment) * 214 + zone * 2 + whether three digits of a second are written;
//             zone 0 none, 1 "Z", else quarter hours east of UTC (-48 to 56) + 50; seconds without or with 3 digits
#pragma once

#include <optional>

#include "engine/model/term.h"
#include "engine/model/term_id.h"
#include "engine/model/value.h"

namespace quadrille::model {

// What a Date's and a DateTime's payload divides by to give the instant; the rest says how it is written. A Date
// without a time zone has the rest 0, a DateTime without one the rest 0 or 1.
inline constexpr uint64_t inline_date_variants = 2048;
inline constexpr uint64_t inline_date_time_variants = 214;

// Nothing for what needs the dictionary.
std::optional<TermId> inline_id(const Term& term);

// The literal, or its value without a detour by text. Requires id.is_inline().
Term inline_term(TermId id);
Value inline_value(TermId id);

}  // namespace quadrille::model
