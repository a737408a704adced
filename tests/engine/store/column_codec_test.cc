#include "engine/store/column_codec.h"
#include "engine/store/grouped_column.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

using quadrille::store::column_rows_max;
using quadrille::store::decode_column;
using quadrille::store::decode_grouped_column;
using quadrille::store::decode_grouped_rows;
using quadrille::store::decode_rows;
using quadrille::store::encode_column;
using quadrille::store::encode_grouped_column;
using quadrille::store::find_in_ascending;

namespace {

using Values = std::vector<uint64_t>;

// One of many shapes that columns have.
Values random_column(std::mt19937_64& random) {
  Values values(1 + random() % column_rows_max);
  const uint64_t shape = random() % 7, base = random() >> (random() % 64), spread = random() >> (random() % 64);
  uint64_t current = base;
  for (uint64_t& value : values) {
    switch (shape) {
      case 0: value = base; break;
      case 1: value = base + random() % (spread | 1); break;
      case 2: value = current += random() % 9; break;
      case 3: value = current -= random() % 5; break;
      case 4: value = random() % 20 == 0 ? random() : base + random() % 64; break;
      case 5: value = current = random() % 30 == 0 ? random() : current; break;
      default: value = base ^ (random() % 12) << 40; break;
    }
  }
  return values;
}

Values round_trip(const Values& values) {
  std::string bytes;
  encode_column(values, bytes);
  bytes += "tail";
  std::string_view rest = bytes;
  Values back(values.size());
  REQUIRE(decode_column(rest, back));
  REQUIRE(rest == "tail");
  return back;
}

}  // namespace

TEST_CASE("a column of any shape comes back as it was") {
  std::mt19937_64 random(1);
  for (int round = 0; round < 3000; ++round) {
    const Values values = random_column(random);
    REQUIRE(round_trip(values) == values);
    std::string bytes;
    encode_column(values, bytes);
    const size_t first = random() % values.size(), count = random() % (values.size() - first + 1);
    Values part(count);
    REQUIRE(decode_rows(bytes, values.size(), first, part));
    REQUIRE(std::equal(part.begin(), part.end(), values.begin() + static_cast<ptrdiff_t>(first)));
  }
}

TEST_CASE("a value is found in a column that ascends where it stands, or would stand") {
  std::mt19937_64 random(5);
  int searched = 0;
  for (int round = 0; round < 1000; ++round) {
    Values values(1 + random() % 500);
    uint64_t current = random() % 100;
    for (uint64_t& value : values) value = current += random() % 12 == 0 ? 1 + random() % 5 : 0;
    std::string bytes;
    encode_column(values, bytes);
    const uint64_t wanted = values[random() % values.size()] + random() % 3;
    const auto found = find_in_ascending(bytes, values.size(), wanted);
    if (!found) continue;
    ++searched;
    const auto expected = std::equal_range(values.begin(), values.end(), wanted);
    REQUIRE(found->begin == static_cast<size_t>(expected.first - values.begin()));
    REQUIRE(found->end == static_cast<size_t>(expected.second - values.begin()));
  }
  CHECK(searched > 500);
}

TEST_CASE("a column of the largest numbers comes back as it was") {
  const Values values = {~uint64_t{0}, 0, ~uint64_t{0}, 1, uint64_t{1} << 63};
  CHECK(round_trip(values) == values);
}

TEST_CASE("a grouped column comes back as it was") {
  std::mt19937_64 random(2);
  for (int round = 0; round < 1000; ++round) {
    const Values values = random_column(random);
    Values keys(values.size());
    const uint64_t key_count = 1 + random() % (random() % 2 == 0 ? 20 : 3000);
    for (uint64_t& key : keys) key = random() % key_count * 7919;
    std::string bytes, key_bytes;
    encode_column(keys, key_bytes);
    encode_grouped_column(keys, key_bytes, values, bytes);
    Values back(values.size());
    REQUIRE(decode_grouped_column(key_bytes, bytes, back));
    REQUIRE(back == values);
    const size_t first = random() % values.size(), count = random() % (values.size() - first + 1);
    Values part(count);
    REQUIRE(decode_grouped_rows(key_bytes, bytes, values.size(), first, part));
    REQUIRE(std::equal(part.begin(), part.end(), values.begin() + static_cast<ptrdiff_t>(first)));
  }
}

TEST_CASE("objects that are alike by predicate only take far less room grouped by it") {
  Values keys, values;
  for (uint64_t row = 0; row < 1000; ++row) {
    keys.push_back(row % 10);
    values.push_back((row % 10) * 1000000007 + row / 10);
  }
  std::string key_bytes, plain, grouped;
  encode_column(keys, key_bytes);
  encode_column(values, plain);
  encode_grouped_column(keys, key_bytes, values, grouped);
  CHECK(grouped.size() * 5 < plain.size());
}

TEST_CASE("one outlier does not widen a packed column") {
  Values values(1000, 5);
  std::mt19937_64 random(3);
  for (uint64_t& value : values) value = random() % 16;
  values[500] = uint64_t{1} << 60;
  std::string bytes;
  encode_column(values, bytes);
  CHECK(bytes.size() < 540);
}

TEST_CASE("a damaged column is refused or read as other numbers, never read beyond its end") {
  std::mt19937_64 random(4);
  for (int round = 0; round < 3000; ++round) {
    const Values values = random_column(random);
    std::string bytes;
    encode_column(values, bytes);
    if (random() % 2 == 0) bytes.resize(random() % bytes.size());
    for (uint64_t n = random() % 4; n > 0 && !bytes.empty(); --n) bytes[random() % bytes.size()] ^= 1 << random() % 8;
    const std::string exact(bytes);  // a fresh allocation, so that the address sanitizer sees its end
    std::string_view rest = exact;
    Values back(values.size());
    (void)decode_column(rest, back);
    (void)find_in_ascending(exact, values.size(), values.front());
    std::string keys, grouped;
    Values key_values(values.size());
    for (uint64_t& key : key_values) key = random() % 9;
    encode_column(key_values, keys);
    encode_grouped_column(key_values, keys, values, grouped);
    for (uint64_t n = 1 + random() % 4; n > 0; --n) grouped[random() % grouped.size()] ^= 1 << random() % 8;
    if (random() % 2 == 0) keys[random() % keys.size()] ^= 1 << random() % 8;
    (void)decode_grouped_column(keys, grouped, back);
    (void)decode_grouped_rows(keys, grouped, values.size(), values.size() / 2, std::span(back).first(1));
  }
}
