// The escapes of literals and IRIs that N-Triples and Turtle share.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace quadrille::io {

struct Escape {
  char32_t value = 0;
  size_t size = 0;  // bytes behind the backslash; 0: not an escape
};

// The most bytes that an escape takes behind its backslash: UXXXXXXXX.
inline constexpr size_t escape_size_max = 9;

// \uXXXX and \UXXXXXXXX of a character; `text` begins behind the backslash.
Escape decode_numeric_escape(std::string_view text) noexcept;
// Also \t \b \n \r \f \" \' and \\.
Escape decode_string_escape(std::string_view text) noexcept;

// "found X, expected Y" for what the functions above did not take.
std::string describe_bad_numeric_escape(std::string_view text);
std::string describe_bad_string_escape(std::string_view text);

}  // namespace quadrille::io
