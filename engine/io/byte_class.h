// Sets of bytes, for scanning runs of plain text.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace quadrille::io {

class ByteClass {
 public:
  // All bytes but these.
  static constexpr ByteClass all_but(std::string_view excluded) noexcept {
    ByteClass out;
    out.has_.fill(true);
    for (const char c : excluded) out.has_[static_cast<unsigned char>(c)] = false;
    return out;
  }
  constexpr ByteClass without_controls_and_space() const noexcept {
    ByteClass out = *this;
    for (size_t c = 0; c <= 0x20; ++c) out.has_[c] = false;
    return out;
  }

  constexpr bool has(char c) const noexcept { return has_[static_cast<unsigned char>(c)]; }
  // How many leading bytes of `text` are in the class.
  size_t run(std::string_view text) const noexcept {
    size_t size = 0;
    while (size < text.size() && has(text[size])) ++size;
    return size;
  }

 private:
  std::array<bool, 256> has_{};
};

// What stands for itself between < and >: the same as model::is_iri_character, byte by byte.
inline constexpr ByteClass plain_in_iri = ByteClass::all_but("<>\"{}|^`\\").without_controls_and_space();

}  // namespace quadrille::io
