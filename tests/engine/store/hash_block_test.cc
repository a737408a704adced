#include "engine/store/hash_block.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "engine/store/hash_index.h"

using namespace quadrille::store;

namespace {

std::vector<HashEntry> random_entries(size_t count, uint64_t hash_end, uint64_t number_end, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<HashEntry> entries;
  for (size_t i = 0; i < count; ++i) entries.push_back({random() % hash_end, 1 + random() % number_end});
  std::sort(entries.begin(), entries.end());
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  return entries;
}

void check_comes_back(const std::vector<HashEntry>& entries) {
  std::vector<HashEntry> back;
  for (const auto& encoded : encode_hash_blocks(entries)) {
    REQUIRE(encoded.value.size() <= hash_block_bytes_max);
    const auto block = HashBlock::read(encoded.first.hash, encoded.value);
    REQUIRE(block);
    CHECK(block->first_hash() == encoded.first.hash);
    const size_t start = back.size();
    block->append_entries(back);
    REQUIRE(back.size() > start);
    CHECK(block->last_hash() == back.back().hash);
    std::map<uint64_t, std::vector<uint64_t>> by_hash;
    for (size_t i = start; i < back.size(); ++i) by_hash[back[i].hash].push_back(back[i].number);
    for (const auto& [hash, numbers] : by_hash) {
      std::vector<uint64_t> found;
      block->find(hash, found);
      CHECK(found == numbers);
      for (const uint64_t other : {hash - 1, hash + 1}) {
        if (by_hash.contains(other)) continue;
        found.clear();
        block->find(other, found);
        CHECK(found.empty());
      }
    }
  }
  CHECK(back == entries);
}

}  // namespace

TEST_CASE("pairs of hashes and numbers come back from blocks, however dense they are") {
  for (const uint64_t hash_end :
       {uint64_t{1}, uint64_t{2}, uint64_t{50}, uint64_t{5000}, uint64_t{1} << 22, short_hash_end}) {
    for (const uint64_t number_end : {uint64_t{1}, uint64_t{100}, uint64_t{1} << 20, uint64_t{1} << 55}) {
      for (const size_t count : {1, 2, 3, 64, 65, 3000}) {
        INFO(hash_end << " " << number_end << " " << count);
        check_comes_back(random_entries(count, hash_end, number_end, count));
      }
    }
  }
  check_comes_back({{0, 1}, {short_hash_end - 1, (uint64_t{1} << 56) - 1}});
}

TEST_CASE("a pair of a large dictionary takes less than six bytes") {
  const auto entries = random_entries(300'000, short_hash_end, 300'000, 1);
  size_t bytes = 0;
  for (const auto& block : encode_hash_blocks(entries)) bytes += block.value.size();
  CHECK(bytes < entries.size() * 11 / 2);
}

TEST_CASE("a flipped bit in a block of hashes is noticed") {
  const auto entries = random_entries(200, short_hash_end, 1000, 1);
  const std::string value = encode_hash_block(entries);
  for (size_t bit = 0; bit < value.size() * 8; bit += 5) {
    std::string damaged = value;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    CHECK_FALSE(HashBlock::read(entries.front().hash, damaged));
  }
  for (size_t size = 0; size < value.size(); size += 7) {
    CHECK_FALSE(HashBlock::read(entries.front().hash, std::string_view(value).substr(0, size)));
  }
}

TEST_CASE("numbers of a block of hashes can be shifted") {
  auto entries = random_entries(100, short_hash_end, 1000, 1);
  std::string value = encode_hash_block(entries);
  shift_numbers(value, 5'000'000'000);
  for (HashEntry& entry : entries) entry.number += 5'000'000'000;
  const auto block = HashBlock::read(entries.front().hash, value);
  REQUIRE(block);
  std::vector<HashEntry> back;
  block->append_entries(back);
  CHECK(back == entries);
}
