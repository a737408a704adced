#include "sync/set_sketch.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

#include "tests/support/seeded_random.h"

namespace quadrille::sync {
namespace {

struct Sets {
  std::vector<uint64_t> left, right, only_left, only_right;
};

Sets make_sets(uint64_t seed, size_t common, size_t only_left, size_t only_right) {
  test::SeededRandom random(seed);
  Sets sets;
  const auto add = [&](size_t count, auto... lists) {
    for (size_t i = 0; i < count; ++i) {
      const uint64_t item = std::max<uint64_t>(1, random.next());
      (lists->push_back(item), ...);
    }
  };
  add(common, &sets.left, &sets.right);
  add(only_left, &sets.left, &sets.only_left);
  add(only_right, &sets.right, &sets.only_right);
  std::sort(sets.only_left.begin(), sets.only_left.end());
  std::sort(sets.only_right.begin(), sets.only_right.end());
  return sets;
}

SetSketch sketch_of(const std::vector<uint64_t>& items, uint64_t first, size_t count) {
  SetSketch sketch(first, count);
  for (const uint64_t item : items) sketch.add(item);
  return sketch;
}

std::optional<SetDifference> decode(const Sets& sets, size_t count) {
  return decode_difference(sketch_of(sets.left, 0, count).symbols(), sketch_of(sets.right, 0, count).symbols());
}

}  // namespace

TEST_CASE("two sketches give just the items in which their sets differ") {
  for (const auto& [only_left, only_right] : std::vector<std::pair<size_t, size_t>>{
           {0, 0}, {1, 0}, {0, 1}, {3, 4}, {50, 0}, {0, 200}, {500, 500}, {5000, 1}}) {
    const Sets sets = make_sets(only_left * 7919 + only_right, 20'000, only_left, only_right);
    const auto difference = decode(sets, 2 * (only_left + only_right) + 30);
    INFO(only_left << " and " << only_right);
    REQUIRE(difference);
    CHECK(difference->only_left == sets.only_left);
    CHECK(difference->only_right == sets.only_right);
  }
}

TEST_CASE("1.5 symbols for each of a thousand differences are nearly always enough, and half a symbol never is") {
  size_t enough = 0;
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    const Sets sets = make_sets(seed, 2'000, 400, 600);
    if (decode(sets, 1'500)) ++enough;
    CHECK_FALSE(decode(sets, 500));
  }
  CHECK(enough >= 48);
}

TEST_CASE("a sketch that was too short goes on with the symbols behind it") {
  const Sets sets = make_sets(5, 10'000, 300, 300);
  CHECK_FALSE(decode(sets, 400));
  const auto both = [](const std::vector<uint64_t>& items) {
    const SetSketch first = sketch_of(items, 0, 400), rest = sketch_of(items, 400, 700);
    std::vector<SketchSymbol> symbols(first.symbols().begin(), first.symbols().end());
    symbols.insert(symbols.end(), rest.symbols().begin(), rest.symbols().end());
    return symbols;
  };
  const auto whole = sketch_of(sets.left, 0, 1100);
  CHECK(std::ranges::equal(both(sets.left), whole.symbols()));
  const auto difference = decode_difference(both(sets.left), both(sets.right));
  REQUIRE(difference);
  CHECK(difference->only_left == sets.only_left);
}

TEST_CASE("symbols come back from their bytes, which are 14 a symbol or less") {
  const Sets sets = make_sets(6, 100'000, 0, 0);
  for (const uint64_t first : {uint64_t{0}, uint64_t{777}}) {
    const SetSketch sketch = sketch_of(sets.left, first, 1500);
    const std::string bytes = encode_symbols(sketch.symbols(), first, sets.left.size());
    CHECK(bytes.size() <= 1500 * 14);
    const auto symbols = decode_symbols(bytes, first, 1500, sets.left.size());
    REQUIRE(symbols);
    CHECK(std::ranges::equal(*symbols, sketch.symbols()));
    CHECK_FALSE(decode_symbols(bytes, first, 1499, sets.left.size()));
    CHECK_FALSE(decode_symbols(bytes, first, 1501, sets.left.size()));
    CHECK_FALSE(decode_symbols(bytes.substr(0, bytes.size() - 1), first, 1500, sets.left.size()));
  }
  CHECK_FALSE(decode_symbols("", 0, size_t{1} << 60, 10));
}

TEST_CASE("symbols that a forger made come to an end") {
  test::SeededRandom random(9);
  for (int round = 0; round < 200; ++round) {
    std::vector<SketchSymbol> left(64), right(64);
    for (auto& symbol : left) symbol = {random.next(), static_cast<uint32_t>(random.next()), 1};
    // One that takes itself out and puts itself back in.
    SetSketch one(0, 64);
    one.add(random.next() | 1);
    std::copy(one.symbols().begin(), one.symbols().end(), right.begin());
    right[3] = left[3];
    static_cast<void>(decode_difference(left, right));
  }
  SUCCEED();
}

TEST_CASE("an estimate of the differences is near the truth up to some thousand, and beyond that there is none") {
  for (const size_t differences : {0u, 1u, 10u, 100u, 1000u, 3000u}) {
    const Sets sets = make_sets(differences + 11, 5'000, differences / 2, differences - differences / 2);
    DifferenceEstimator left, right;
    for (const uint64_t item : sets.left) left.add(item);
    for (const uint64_t item : sets.right) right.add(item);
    const auto estimate = DifferenceEstimator::estimate(left.sums(), right.sums());
    INFO(differences);
    REQUIRE(estimate);
    CHECK(*estimate >= differences * 8 / 10);
    CHECK(*estimate <= differences * 12 / 10 + 1);
  }
  const Sets sets = make_sets(12, 0, 50'000, 50'000);
  DifferenceEstimator left, right;
  for (const uint64_t item : sets.left) left.add(item);
  for (const uint64_t item : sets.right) right.add(item);
  CHECK_FALSE(DifferenceEstimator::estimate(left.sums(), right.sums()));
}

}  // namespace quadrille::sync
