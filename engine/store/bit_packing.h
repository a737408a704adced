// Numbers of equal width, bit after bit, little-endian.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace quadrille::store {

static_assert(std::endian::native == std::endian::little, "blocks are read where they lie, little-endian");

__extension__ typedef unsigned __int128 Bits128;

constexpr int width_of(uint64_t value) noexcept { return 64 - std::countl_zero(value); }
constexpr size_t packed_bytes(size_t count, int width) noexcept { return (count * static_cast<size_t>(width) + 7) / 8; }

// Appends the low `width` bits of each value.
inline void pack_bits(std::span<const uint64_t> values, int width, std::string& out) {
  const size_t start = out.size();
  out.resize(start + packed_bytes(values.size(), width));
  if (width == 0) return;
  const uint64_t mask = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  Bits128 pending = 0;
  int pending_bits = 0;
  char* target = out.data() + start;
  for (uint64_t value : values) {
    pending |= static_cast<Bits128>(value & mask) << pending_bits;
    for (pending_bits += width; pending_bits >= 8; pending_bits -= 8, pending >>= 8) {
      *target++ = static_cast<char>(pending);
    }
  }
  if (pending_bits > 0) *target = static_cast<char>(pending);
}

namespace packing_detail {

// Eight values after each other take `width` whole bytes: where each of them lies is then known to the compiler. Each
// lies within the 8 bytes that start where it does.
template <int width, size_t... places>
inline void unpack_eight(const char* bytes, uint64_t* values, std::index_sequence<places...>) {
  constexpr uint64_t mask = (uint64_t{1} << width) - 1;
  const auto value_at = [bytes](size_t bit) {
    uint64_t word;
    std::memcpy(&word, bytes + bit / 8, 8);
    return word >> (bit % 8) & mask;
  };
  ((values[places] = value_at(places * width)), ...);
}

template <int width>
void unpack_eights(const char* bytes, size_t eights, uint64_t* values) {
  for (; eights > 0; --eights, bytes += width, values += 8) {
    unpack_eight<width>(bytes, values, std::make_index_sequence<8>());
  }
}

using UnpackEights = void (*)(const char* bytes, size_t eights, uint64_t* values);
template <size_t... widths>
constexpr auto unpackers_of(std::index_sequence<widths...>) {
  return std::array<UnpackEights, sizeof...(widths)>{unpack_eights<static_cast<int>(widths) + 1>...};
}
inline constexpr int unpacker_width_max = 57;
inline constexpr auto unpackers = unpackers_of(std::make_index_sequence<unpacker_width_max>());  // by width - 1

}  // namespace packing_detail

// Reads values.size() values of `width` bits, the first of them the one numbered `first`; `bytes` has at least
// packed_bytes(first + values.size(), width).
inline void unpack_bits(std::string_view bytes, int width, size_t first, std::span<uint64_t> values) {
  if (width == 0) {
    std::fill(values.begin(), values.end(), uint64_t{0});
    return;
  }
  const uint64_t mask = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  const size_t step = static_cast<size_t>(width);
  size_t row = 0;
  if (first % 8 == 0 && width <= packing_detail::unpacker_width_max) {
    const size_t start = first / 8 * step;
    // The last of eight reads 8 bytes from its own first one on, which is no further than the byte before the next.
    const size_t safe_eights = bytes.size() >= start + 8 ? (bytes.size() - start - 8) / step : 0;
    const size_t eights = std::min(values.size() / 8, safe_eights);
    packing_detail::unpackers[step - 1](bytes.data() + start, eights, values.data());
    row = eights * 8;
  }
  // The last few: fast while there are 8 bytes to read.
  size_t bit = (first + row) * step;
  if (width <= 57 && bytes.size() >= 8) {
    const size_t last_bit = (bytes.size() - 8) * 8 + 7;
    for (; row < values.size() && bit <= last_bit; ++row, bit += step) {
      uint64_t word;
      std::memcpy(&word, bytes.data() + bit / 8, 8);
      values[row] = word >> (bit % 8) & mask;
    }
  }
  for (; row < values.size(); ++row, bit += step) {
    Bits128 word = 0;
    std::memcpy(&word, bytes.data() + bit / 8, std::min<size_t>(sizeof(word), bytes.size() - bit / 8));
    values[row] = static_cast<uint64_t>(word >> (bit % 8)) & mask;
  }
}

}  // namespace quadrille::store
