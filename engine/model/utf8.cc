#include "engine/model/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "engine/base/check.h"

namespace quadrille::model {
namespace {

constexpr unsigned byte_at(std::string_view text, size_t index) noexcept {
  return static_cast<unsigned char>(text[index]);
}

constexpr bool is_continuation(unsigned byte) noexcept { return (byte & 0xC0u) == 0x80u; }

// Of so many words of eight bytes each.
template <size_t words>
bool is_ascii(const char* text) noexcept {
  uint64_t all = 0;
  for (size_t i = 0; i < words; ++i) {
    uint64_t word;
    std::memcpy(&word, text + i * sizeof word, sizeof word);
    all |= word;
  }
  return (all & 0x8080808080808080u) == 0;
}

struct Range {
  char32_t first;
  char32_t last;
};

bool is_in(std::span<const Range> ranges, char32_t c) noexcept {
  return std::any_of(ranges.begin(), ranges.end(), [c](Range range) { return c >= range.first && c <= range.last; });
}

// Past ASCII.
constexpr std::array<Range, 12> base_ranges = {{{0x00C0, 0x00D6},
                                                {0x00D8, 0x00F6},
                                                {0x00F8, 0x02FF},
                                                {0x0370, 0x037D},
                                                {0x037F, 0x1FFF},
                                                {0x200C, 0x200D},
                                                {0x2070, 0x218F},
                                                {0x2C00, 0x2FEF},
                                                {0x3001, 0xD7FF},
                                                {0xF900, 0xFDCF},
                                                {0xFDF0, 0xFFFD},
                                                {0x10000, 0xEFFFF}}};

constexpr bool is_ascii_letter(char32_t c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// C0 and C1 controls, line and paragraph separators, and the marks that turn the direction of text.
bool is_invisible(char32_t c) noexcept {
  return c <= 0x20 || (c >= 0x7F && c <= 0xA0) || (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF;
}

constexpr size_t described_size_max = 80;

}  // namespace

DecodedCodePoint decode_utf8(std::string_view text) noexcept {
  if (text.empty()) return {};
  const unsigned first = byte_at(text, 0);
  if (first < 0x80) return {first, 1};
  if (first < 0xC2) return {};  // a continuation byte, or an overlong form
  const uint32_t size = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (first > 0xF4 || text.size() < size) return {};
  char32_t value = first & (0xFFu >> (size + 1));
  for (uint32_t i = 1; i < size; ++i) {
    if (!is_continuation(byte_at(text, i))) return {};
    value = value << 6 | (byte_at(text, i) & 0x3Fu);
  }
  constexpr std::array<char32_t, 5> smallest = {0, 0, 0x80, 0x800, 0x10000};
  if (value < smallest[size] || !is_scalar_value(value)) return {};
  return {value, size};
}

void append_utf8(std::string& out, char32_t c) {
  QUADRILLE_CHECK(is_scalar_value(c), "only characters can be encoded");
  const auto continuation = [c](int shift) { return static_cast<char>(0x80u | (c >> shift & 0x3Fu)); };
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0u | c >> 6);
    out += continuation(0);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0u | c >> 12);
    out += continuation(6);
    out += continuation(0);
  } else {
    out += static_cast<char>(0xF0u | c >> 18);
    out += continuation(12);
    out += continuation(6);
    out += continuation(0);
  }
}

size_t valid_utf8_prefix(std::string_view text) noexcept {
  size_t at = 0;
  while (at < text.size()) {
    // Most text is ASCII: 64 bytes at a time, then eight.
    while (at + 64 <= text.size() && is_ascii<8>(text.data() + at)) at += 64;
    while (at + 8 <= text.size() && is_ascii<1>(text.data() + at)) at += 8;
    if (at == text.size()) break;
    const DecodedCodePoint decoded = decode_utf8(text.substr(at));
    if (decoded.size == 0) return at;
    at += decoded.size;
  }
  return at;
}

uint64_t count_code_points(std::string_view text) noexcept {
  return static_cast<uint64_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(static_cast<unsigned char>(c)); }));
}

bool is_pn_chars_base(char32_t c) noexcept { return c < 0x80 ? is_ascii_letter(c) : is_in(base_ranges, c); }

bool is_pn_chars_u(char32_t c) noexcept { return c == '_' || is_pn_chars_base(c); }

bool is_pn_chars(char32_t c) noexcept {
  return is_pn_chars_u(c) || c == '-' || (c >= '0' && c <= '9') || c == 0x00B7 || (c >= 0x0300 && c <= 0x036F) ||
         c == 0x203F || c == 0x2040;
}

bool is_local_name_escape(char c) noexcept {
  return c != '\0' && std::string_view("_~.-!$&'()*+,;=/?#@%").find(c) != std::string_view::npos;
}

std::string describe_character(char32_t c) {
  if (is_invisible(c) || !is_scalar_value(c)) return fmt::format("U+{:04X}", static_cast<uint32_t>(c));
  std::string out = "'";
  append_utf8(out, c);
  out += '\'';
  return out;
}

std::string describe_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    if (out.size() >= described_size_max) return out + "...";
    const DecodedCodePoint decoded = decode_utf8(text);
    if (decoded.size == 0) {
      out += fmt::format("\\x{:02X}", byte_at(text, 0));
      text.remove_prefix(1);
      continue;
    }
    if (is_invisible(decoded.value) && decoded.value != ' ') {
      out += fmt::format("\\u{:04X}", static_cast<uint32_t>(decoded.value));
    } else {
      out += text.substr(0, decoded.size);
    }
    text.remove_prefix(decoded.size);
  }
  return out;
}

}  // namespace quadrille::model
