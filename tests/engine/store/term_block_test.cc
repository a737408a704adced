#include "engine/store/term_block.h"

#include <catch2/catch.hpp>
#include <random>

#include "engine/store/term_cache.h"

using namespace quadrille::store;

namespace {

// Rows as they may come: short and long, alike and random, some absent.
std::vector<std::string> some_rows(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::string> rows;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t kind = random() % 100;
    std::string row(1, '\0');
    if (kind < 60) {
      row += "http://example.org/a/path/that/many/have/" + std::to_string(random() % 100'000);
    } else if (kind < 90) {
      for (size_t k = random() % 60; k > 0; --k) row += "word" + std::to_string(random() % 500) + " ";
    } else if (kind < 97) {
      for (size_t k = random() % 300; k > 0; --k) row += static_cast<char>(random());
    } else if (kind < 98) {
      row += std::string(random() % (block_row_bytes_max - 1), 'x');
    } else {
      row.clear();
    }
    rows.push_back(row);
  }
  return rows;
}

std::vector<EncodedTermBlock> encode(const std::vector<std::string>& rows, const Phrases* phrases) {
  TermBlockEncoder encoder(phrases);
  std::vector<EncodedTermBlock> blocks;
  for (const std::string& row : rows) encoder.add(row, blocks);
  encoder.finish(blocks);
  return blocks;
}

std::vector<std::string> decode(const EncodedTermBlock& encoded, const Phrases* phrases) {
  TermCache cache(1 << 20);
  std::vector<std::string> rows;
  const auto block = TermBlock::read(encoded.value);
  REQUIRE(block);
  CHECK(block->terms() == encoded.terms);
  CHECK(block->phrases() == (phrases ? phrases->number() : 0));
  for (size_t i = 0; i < block->frames(); ++i) {
    const TermBlock::Frame frame = block->frame(i);
    CHECK(frame.first_term == rows.size());
    for (size_t term = frame.first_term; term < frame.first_term + frame.terms; ++term) {
      CHECK(block->frame_of(term) == i);
    }
    auto text = cache.decompress(frame, phrases);
    REQUIRE(text);
    const auto decoded = TermFrame::decode(encoded.first + frame.first_term, frame.terms, *text);
    REQUIRE(decoded);
    CHECK(decoded->terms() == frame.terms);
    for (size_t term = 0; term < decoded->terms(); ++term) rows.emplace_back(decoded->row(term));
  }
  return rows;
}

std::shared_ptr<const Phrases> trained(const std::vector<std::string>& rows) {
  return Phrases::train(std::vector<std::string_view>(rows.begin(), rows.end()));
}

}  // namespace

TEST_CASE("terms come back from blocks, with phrases and without") {
  const auto rows = some_rows(20'000, 1);
  const auto phrases = trained(rows);
  REQUIRE(phrases);
  for (const Phrases* used : {static_cast<const Phrases*>(nullptr), phrases.get()}) {
    std::vector<std::string> back;
    const auto blocks = encode(rows, used);
    CHECK(blocks.size() > 3);
    for (const auto& block : blocks) {
      CHECK(block.value.size() <= term_block_bytes_max);
      CHECK(block.first == back.size());
      for (auto& row : decode(block, used)) back.push_back(std::move(row));
    }
    CHECK(back == rows);
  }
}

TEST_CASE("phrases make terms smaller") {
  std::mt19937_64 random(1);
  std::vector<std::string> words(1000);
  for (std::string& word : words) {
    for (uint64_t letters = 4 + random() % 8; letters > 0; --letters) word += static_cast<char>('a' + random() % 26);
  }
  std::vector<std::string> rows;
  for (int i = 0; i < 20'000; ++i) {
    std::string row(1, '\2');
    for (int k = 0; k < 8; ++k) row += words[random() % words.size()] + " ";
    rows.push_back(row);
  }
  const auto size_of = [&](const Phrases* phrases) {
    size_t bytes = 0;
    for (const auto& block : encode(rows, phrases)) bytes += block.value.size();
    return bytes;
  };
  const auto phrases = trained(std::vector<std::string>(rows.begin(), rows.begin() + 2000));
  REQUIRE(phrases);
  CHECK(size_of(phrases.get()) < size_of(nullptr) * 9 / 10);
}

TEST_CASE("many empty or tiny rows fill blocks too") {
  std::vector<std::string> rows(200'000);
  for (size_t i = 0; i < rows.size(); i += 3) rows[i] = std::string(1, static_cast<char>(i));
  std::vector<std::string> back;
  for (const auto& block : encode(rows, nullptr)) {
    for (auto& row : decode(block, nullptr)) back.push_back(std::move(row));
  }
  CHECK(back == rows);
}

TEST_CASE("a flipped bit in a block of terms is noticed where it counts") {
  const auto rows = some_rows(300, 2);
  const auto blocks = encode(rows, nullptr);
  const std::string& value = blocks.front().value;
  TermCache cache(1 << 20);
  for (size_t bit = 0; bit < value.size() * 8; bit += 37) {
    std::string damaged = value;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    const auto block = TermBlock::read(damaged);
    if (!block) continue;
    size_t damaged_frames = 0;
    for (size_t i = 0; i < block->frames(); ++i) damaged_frames += block->frame(i).is_sound() ? 0 : 1;
    CHECK(damaged_frames == 1);
  }
  for (size_t size = 0; size < value.size(); size += 101) {
    CHECK_FALSE(TermBlock::read(std::string_view(value).substr(0, size)));
  }
}

TEST_CASE("what is no frame of terms is refused") {
  CHECK_FALSE(TermFrame::decode(1, 1, ""));
  CHECK_FALSE(TermFrame::decode(1, 1, "\x05row"));
  CHECK_FALSE(TermFrame::decode(1, 1, "\x02row"));
  CHECK_FALSE(TermFrame::decode(1, 2, "\x03row"));
  CHECK_FALSE(TermFrame::decode(1, 1, "\xff\xff\xff\xff\xff\xff"));
  REQUIRE(TermFrame::decode(1, 1, "\x03row"));
  CHECK(TermFrame::decode(1, 1, "\x03row")->row(0) == "row");
}

TEST_CASE("the cache of frames keeps within its bounds, and what is used stays") {
  TermCache cache(16 * 64 << 10);
  const auto frame = [](uint64_t first) {
    return TermFrame::decode(first, 1, std::string("\x80\x20", 2) + std::string(4096, 'x'));
  };
  const uint64_t used = 1'000'000;
  cache.keep(frame(used));
  size_t found = 0;
  for (uint64_t first = 1; first <= 2000; ++first) {
    cache.keep(frame(first));
    CHECK(cache.find(used));
  }
  for (uint64_t first = 1; first <= 2000; ++first) found += cache.find(first) ? 1 : 0;
  CHECK(found > 100);
  CHECK(found <= 256);
}
