// Finding in which items two large sets of hashes differ, for about 20 bytes a difference, however large they are.
//
// Rateless invertible Bloom lookup tables: Yang, Gilad, Alizadeh, "Practical Rateless Set Reconciliation" (SIGCOMM
// 2024). Each side sums its items up in an endless row of symbols, of which the first get many items and later ones
// ever fewer. The difference of the two rows is the row of the items in which the sets differ: those that stand alone
// in a symbol are read off it and taken out of the others, until nothing is left. About 1.4 symbols for each difference
// are enough where those are many, some more where they are few; if they were not, more symbols are asked for and the
// ones at hand stay good.
//
// It is no protection against a forger, who can make items that do not come apart: who decodes gives up at some length.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quadrille::sync {

struct SketchSymbol {
  uint64_t items = 0;   // all of its items, by exclusive or
  uint32_t checks = 0;  // their checks, likewise
  int64_t count = 0;    // of the items

  friend bool operator==(const SketchSymbol&, const SketchSymbol&) = default;
};

// The symbols `first` to `first` + `count` of a set's row.
class SetSketch {
 public:
  SetSketch(uint64_t first, size_t count) : first_(first), symbols_(count) {}

  // Each item once. Items are hashes: equally spread, 0 is none.
  void add(uint64_t item) { change(item, 1); }
  std::span<const SketchSymbol> symbols() const noexcept { return symbols_; }

 private:
  void change(uint64_t item, int64_t by);
  uint64_t first_;
  std::vector<SketchSymbol> symbols_;
};

struct SetDifference {
  std::vector<uint64_t> only_left, only_right;  // ascending
};

// The difference of two sets by the first symbols of both, which are as many. Nothing: those are too few.
std::optional<SetDifference> decode_difference(std::span<const SketchSymbol> left, std::span<const SketchSymbol> right);

// 12 bytes a symbol and a varint for how far its count is from what it is on average, for a set of so many items.
std::string encode_symbols(std::span<const SketchSymbol> symbols, uint64_t first, uint64_t set_size);
// Nothing for bytes that are not exactly `count` symbols.
std::optional<std::vector<SketchSymbol>> decode_symbols(std::string_view bytes, uint64_t first, size_t count,
                                                        uint64_t set_size);

// How many items two sets differ in, by short sums of the items of each of some thousand classes; enough to choose a
// length of sketches.
class DifferenceEstimator {
 public:
  static constexpr size_t classes = 1024;

  void add(uint64_t item) noexcept {
    uint8_t& sum = sums_[item % classes];
    sum = static_cast<uint8_t>(sum + (item >> 56 | 1));
  }
  std::span<const uint8_t> sums() const noexcept { return sums_; }
  // Nothing: so many that it cannot be told.
  static std::optional<uint64_t> estimate(std::span<const uint8_t> left, std::span<const uint8_t> right);

 private:
  std::array<uint8_t, classes> sums_{};
};

}  // namespace quadrille::sync
