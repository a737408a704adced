#include "engine/store/block.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

using namespace quadrille::store;
using quadrille::model::QuadOrder;
using quadrille::model::TermId;

namespace {

// Sorted rows without duplicates; the wider the ids lie, the fewer go into a block.
std::vector<QuadRow> random_rows(std::mt19937_64& random, size_t count, int bits) {
  const auto id = [&](int width) { return TermId(random() >> (64 - width)); };
  std::vector<QuadRow> rows(count);
  for (QuadRow& row : rows) row = {id(bits), id(3), id(bits), id(1 + bits / 8)};
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

std::string key_of(const QuadRow& row) { return std::string(QuadKey(row).view()); }

}  // namespace

TEST_CASE("rows come back from their blocks, and no block is larger than a quarter of a page") {
  std::mt19937_64 random(1);
  for (QuadOrder order : quadrille::model::all_quad_orders) {
    for (const int bits : {2, 12, 30, 62}) {
      const auto rows = random_rows(random, 5000, bits);
      for (const bool even_end : {false, true}) {
        std::vector<QuadRow> back;
        Block block(order);
        for (const auto& encoded : encode_blocks(order, rows, even_end)) {
          const std::string key = key_of(rows[encoded.first_row]);
          REQUIRE(encoded.value.size() <= block_bytes_max);
          REQUIRE(encoded.first_row == back.size());
          REQUIRE(block.load(key, encoded.value, Block::Keeping::InPlace));
          CHECK(Block::row_count(encoded.value) == encoded.rows);
          block.append_rows(back);
        }
        CHECK(back == rows);
      }
    }
  }
}

TEST_CASE("blocks are full but for the last, and the last two are even where that is wanted") {
  std::mt19937_64 random(2);
  const auto rows = random_rows(random, 20'000, 30);
  const auto packed = encode_blocks(QuadOrder::Spog, rows, false);
  REQUIRE(packed.size() > 10);
  size_t bytes = 0;
  for (size_t i = 0; i + 1 < packed.size(); ++i) bytes += packed[i].value.size();
  CHECK(bytes > (packed.size() - 1) * block_bytes_max * 9 / 10);
  const std::span<const QuadRow> first_and_some(rows.data(), packed[0].rows + 10);
  const auto even = encode_blocks(QuadOrder::Spog, first_and_some, true);
  REQUIRE(even.size() == 2);
  CHECK(even[0].rows <= even[1].rows + 1);
  CHECK(even[1].first_row == even[0].rows);
}

TEST_CASE("a flipped bit of a block is found, and so is a block under another's key") {
  std::mt19937_64 random(3);
  const auto rows = random_rows(random, 500, 12);
  const auto encoded = BlockEncoder(QuadOrder::Gspo).next(rows);
  const std::string key = key_of(rows[0]), other_key = key_of(rows[1]);
  Block block(QuadOrder::Gspo);
  for (size_t bit = 0; bit < encoded.value.size() * 8; bit += 7) {
    std::string damaged = encoded.value;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    REQUIRE_FALSE((block.load(key, damaged, Block::Keeping::InPlace) && block.has_right_checksum()));
  }
  CHECK_FALSE((block.load(other_key, encoded.value, Block::Keeping::InPlace) && block.has_right_checksum()));
  for (size_t size = 0; size < encoded.value.size(); ++size) {
    const std::string_view cut = std::string_view(encoded.value).substr(0, size);
    REQUIRE_FALSE((block.load(key, cut, Block::Keeping::InPlace) && block.has_right_checksum()));
  }
  CHECK(block.load(key, encoded.value, Block::Keeping::InPlace));
  CHECK(block.has_right_checksum());
}

TEST_CASE("bounds in a block are those of its rows") {
  std::mt19937_64 random(4);
  const auto rows = random_rows(random, 400, 5);
  const auto encoded = BlockEncoder(QuadOrder::Spog).next(rows);
  REQUIRE(encoded.rows == rows.size());
  const std::string first_row = key_of(rows[0]);
  Block block(QuadOrder::Spog);
  for (int round = 0; round < 4000; ++round) {
    // What a block answered before must not change what it answers later.
    if (round % 20 == 0) REQUIRE(block.load(first_row, encoded.value, Block::Keeping::InPlace));
    if (random() % 3 == 0) {
      const size_t row = random() % rows.size();
      REQUIRE(block.row(row) == rows[row]);
    }
    if (random() % 4 == 0) {
      const size_t begin = random() % rows.size(), position = random() % 4;
      const size_t end = std::min(rows.size(), begin + 1 + random() % (random() % 2 == 0 ? 8 : 400));
      const auto cells = block.cells(position, begin, end);
      for (size_t row = begin; row < end; ++row) REQUIRE(cells[row - begin] == rows[row][position].bits());
    }
    const size_t from = random() % rows.size();
    QuadRow key = rows[random() % rows.size()];
    key[random() % 4] = TermId(random() % 40);
    const size_t length = random() % 5;
    const auto compare = [&](const QuadRow& a, const QuadRow& b) {
      return std::lexicographical_compare(a.begin(), a.begin() + length, b.begin(), b.begin() + length);
    };
    const auto begin = rows.begin() + static_cast<ptrdiff_t>(from);
    const std::span<const TermId> prefix(key.data(), length);
    REQUIRE(block.lower_bound(prefix, from) ==
            static_cast<size_t>(std::lower_bound(begin, rows.end(), key, compare) - rows.begin()));
    REQUIRE(block.upper_bound(prefix, from) ==
            static_cast<size_t>(std::upper_bound(begin, rows.end(), key, compare) - rows.begin()));
  }
}
