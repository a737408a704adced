// Comparing media types (RFC 9110 section 8.3.1: case does not matter).
#pragma once

#include <string_view>

namespace quadrille::io {

constexpr char ascii_lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

constexpr bool equals_ignoring_case(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (ascii_lower(a[i]) != ascii_lower(b[i])) return false;
  }
  return true;
}

// "Text/Turtle; charset=utf-8" -> "Text/Turtle"
constexpr std::string_view without_parameters(std::string_view media_type) noexcept {
  media_type = media_type.substr(0, media_type.find(';'));
  while (!media_type.empty() && (media_type.front() == ' ' || media_type.front() == '\t')) media_type.remove_prefix(1);
  while (!media_type.empty() && (media_type.back() == ' ' || media_type.back() == '\t')) media_type.remove_suffix(1);
  return media_type;
}

}  // namespace quadrille::io
