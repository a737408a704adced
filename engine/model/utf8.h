// UTF-8 (RFC 3629) and the character classes that the grammars of Turtle, TriG, N-Triples and SPARQL share.
//
// All functions are pure, take any bytes, and never read beyond the view. Surrogates, overlong forms and code points
// past U+10FFFF are not UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace quadrille::model {

struct DecodedCodePoint {
  char32_t value = 0;
  uint32_t size = 0;  // bytes taken; 0: the text is empty or does not start with a whole code point
};

// The first code point of `text`.
DecodedCodePoint decode_utf8(std::string_view text) noexcept;

// Whether Unicode has a character of that number (RFC 3629 and the \u escapes forbid surrogates).
constexpr bool is_scalar_value(char32_t c) noexcept { return c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF); }

// Requires is_scalar_value(c).
void append_utf8(std::string& out, char32_t c);

// How many leading bytes of `text` are whole, valid code points: text.size() if all of it is.
size_t valid_utf8_prefix(std::string_view text) noexcept;
inline bool is_valid_utf8(std::string_view text) noexcept { return valid_utf8_prefix(text) == text.size(); }

// Each byte that does not continue a code point counts as one, also in text that is not UTF-8.
uint64_t count_code_points(std::string_view text) noexcept;

// PN_CHARS_BASE, PN_CHARS_U (with '_'; without ':') and PN_CHARS of Turtle section 6.5 and SPARQL 1.1 section 19.8.
bool is_pn_chars_base(char32_t c) noexcept;
bool is_pn_chars_u(char32_t c) noexcept;
bool is_pn_chars(char32_t c) noexcept;
// The characters that may follow a backslash in a local name (PN_LOCAL_ESC).
bool is_local_name_escape(char c) noexcept;

// A character as an error message shows it: 'x', or U+000A where it cannot be seen.
std::string describe_character(char32_t c);

// Text from outside as an error message shows it: one line, valid UTF-8, at most about 80 bytes, no control characters.
std::string describe_text(std::string_view text);

}  // namespace quadrille::model
