// What the forms of columns (column_codec.h, grouped_column.h) are made of: single numbers, and lists of numbers in as
// few bits as most of them need. For those two alone.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engine/store/bit_packing.h"
#include "engine/store/column_codec.h"
#include "engine/store/leb128.h"

namespace quadrille::store {

// Not initialised: each of its users fills what it reads.
using Scratch = std::array<uint64_t, column_rows_max>;

inline bool take_byte(std::string_view& bytes, uint8_t& value) {
  if (bytes.empty()) return false;
  value = static_cast<uint8_t>(bytes.front());
  bytes.remove_prefix(1);
  return true;
}

// Ids have their tag in the highest byte and zeros below it: turned, they are small numbers.
enum class NumberKind : uint8_t { Id, Count };
constexpr uint64_t turned(NumberKind kind, uint64_t value) noexcept {
  return kind == NumberKind::Id ? std::rotl(value, 8) : value;
}
constexpr uint64_t turned_back(NumberKind kind, uint64_t value) noexcept {
  return kind == NumberKind::Id ? std::rotr(value, 8) : value;
}

// So that small differences of either sign are small numbers.
constexpr uint64_t fold_sign(uint64_t difference) noexcept { return (difference << 1) ^ (0 - (difference >> 63)); }
constexpr uint64_t unfold_sign(uint64_t folded) noexcept { return (folded >> 1) ^ (0 - (folded & 1)); }

// ---- packed numbers: offsets from the smallest; the few that need more bits have their high bits in a list beside
// ----

struct PackedPlan {
  NumberKind kind = NumberKind::Id;
  uint64_t smallest = 0;
  int width = 0;
  size_t bytes = 0;  // about: exceptions may take a byte more or less
};
PackedPlan plan_packed(NumberKind kind, std::span<const uint64_t> values);  // at least one
// Of a packed column of `rows` those from `first` on; takes all of it off. False, here as below: it is damaged.
bool take_packed(NumberKind kind, std::string_view& bytes, size_t rows, size_t first, std::span<uint64_t> values);
bool take_delta(std::string_view& bytes, size_t rows,
                std::span<uint64_t> values);  // of a column of `rows` the first ones

void put_counts(std::span<const uint64_t> values, std::string& out);
bool take_counts(std::string_view& bytes, std::span<uint64_t> values);

// ---- packed or delta, whichever is shorter; also the parts of the forms that have parts ----

// The first byte of a simple column. Part of the format: numbers are never used again, in no list of forms.
enum SimpleForm : uint8_t { Packed = 1, Delta = 2 };

struct SimplePlan {
  bool is_delta = false;
  PackedPlan packed;  // of the values, or of their differences
  size_t bytes = 0;
};
SimplePlan plan_simple(std::span<const uint64_t> values);
void put_simple(const SimplePlan& plan, std::span<const uint64_t> values, std::string& out);
bool take_simple(std::string_view& bytes, std::span<uint64_t> values);
bool skip_simple(std::string_view& bytes, size_t rows);

}  // namespace quadrille::store
