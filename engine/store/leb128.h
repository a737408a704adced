// Numbers of few bytes where they are small: seven bits a byte, the lowest first; the highest bit says that more come
// (LEB128, as DWARF 5 names it in section 7.6).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace quadrille::store {

inline void put_number(uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

// Takes it off the front. False: there is none.
inline bool take_number(std::string_view& bytes, uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(bytes.front());
    bytes.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

inline size_t number_bytes(uint64_t value) noexcept {
  return value == 0 ? 1 : (static_cast<size_t>(std::bit_width(value)) + 6) / 7;
}

}  // namespace quadrille::store
