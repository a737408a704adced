#include "engine/io/escape.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/model/hex.h"
#include "engine/model/utf8.h"

namespace quadrille::io {
namespace {

size_t numeric_escape_size(std::string_view text) noexcept {
  if (text.empty()) return 0;
  return text.front() == 'u' ? 5 : text.front() == 'U' ? 9 : 0;
}

// The escape as far as it looks like one, backslash included.
std::string shown(std::string_view text) {
  size_t size = 1;
  const size_t size_max = std::max<size_t>(numeric_escape_size(text), 1);
  while (size < size_max && size < text.size() && model::hex_digit(text[size]) >= 0) ++size;
  const model::DecodedCodePoint first = model::decode_utf8(text);
  return "\\" + model::describe_text(text.substr(0, std::max<size_t>(size, first.size)));
}

bool is_surrogate_or_beyond(std::string_view text) noexcept {
  const size_t size = numeric_escape_size(text);
  return size != 0 && text.size() >= size &&
         std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(size),
                     [](char c) { return model::hex_digit(c) >= 0; });
}

std::string describe(std::string_view text, std::string_view expected) {
  if (text.empty()) return fmt::format("found a backslash at the end, expected {}", expected);
  if (is_surrogate_or_beyond(text)) {
    return fmt::format("found {}, which is no character, expected U+0000 to U+D7FF or U+E000 to U+10FFFF", shown(text));
  }
  return fmt::format("found {}, expected {}", shown(text), expected);
}

}  // namespace

Escape decode_numeric_escape(std::string_view text) noexcept {
  const size_t size = numeric_escape_size(text);
  if (size == 0 || text.size() < size) return {};
  char32_t value = 0;
  for (const char c : text.substr(1, size - 1)) {
    const int digit = model::hex_digit(c);
    if (digit < 0) return {};
    value = value << 4 | static_cast<char32_t>(digit);
  }
  return model::is_scalar_value(value) ? Escape{value, size} : Escape{};
}

Escape decode_string_escape(std::string_view text) noexcept {
  if (text.empty()) return {};
  switch (text.front()) {
    case 't': return {'\t', 1};
    case 'b': return {'\b', 1};
    case 'n': return {'\n', 1};
    case 'r': return {'\r', 1};
    case 'f': return {'\f', 1};
    case '"':
    case '\'':
    case '\\': return {static_cast<char32_t>(text.front()), 1};
    default: return decode_numeric_escape(text);
  }
}

std::string describe_bad_numeric_escape(std::string_view text) {
  return describe(text, "\\uXXXX or \\UXXXXXXXX in hexadecimal");
}

std::string describe_bad_string_escape(std::string_view text) {
  return describe(text, "an escape: \\t \\b \\n \\r \\f \\\" \\' \\\\ \\uXXXX \\UXXXXXXXX");
}

}  // namespace quadrille::io
