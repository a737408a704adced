// Gives numbers to values as they come: a hash table on the stack, at most half full.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "engine/store/bit_packing.h"

namespace quadrille::store {

template <size_t count_max>
class ValueNumbering {
 public:
  static constexpr uint16_t none = std::numeric_limits<uint16_t>::max();

  // For up to `expected` distinct values.
  explicit ValueNumbering(size_t expected) : shift_(64 - width_of(std::min(expected, count_max)) - 1) {
    std::fill_n(slots_.begin(), size_t{1} << (64 - shift_), none);
  }
  uint16_t find(uint64_t value) const noexcept { return slots_[slot_of(value)]; }
  // `none`: there are more than count_max.
  uint16_t add(uint64_t value) noexcept {
    const size_t slot = slot_of(value);
    if (slots_[slot] == none && count_ < count_max) {
      values_[count_] = value;
      slots_[slot] = static_cast<uint16_t>(count_++);
    }
    return slots_[slot];
  }
  std::span<const uint64_t> values() const noexcept { return std::span(values_).first(count_); }

 private:
  size_t slot_of(uint64_t value) const noexcept {
    const size_t last = (size_t{1} << (64 - shift_)) - 1;
    size_t slot = (value * 0x9E3779B97F4A7C15u) >> shift_;
    while (slots_[slot] != none && values_[slots_[slot]] != value) slot = (slot + 1) & last;
    return slot;
  }

  int shift_;
  size_t count_ = 0;
  std::array<uint16_t, std::bit_ceil(count_max * 4)> slots_;
  std::array<uint64_t, count_max> values_;
};

}  // namespace quadrille::store
