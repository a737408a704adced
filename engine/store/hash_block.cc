#include "engine/store/hash_block.h"

#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/base/check.h"
#include "engine/store/bit_packing.h"

namespace quadrille::store {
namespace {

constexpr size_t head_bytes = 20;
constexpr size_t padding_bytes = 8;  // so that the last number, too, is read as 8 bytes
constexpr size_t entries_max = 0xffff;

struct Shape {
  size_t words;
  int low_width;
  size_t low_bytes;
  int number_width;
  size_t number_bytes;

  size_t bytes() const noexcept { return head_bytes + words * 8 + low_bytes + number_bytes + padding_bytes; }
};

Shape shape_of(size_t count, uint64_t hash_range, uint64_t number_range) noexcept {
  Shape shape{};
  const uint64_t step = hash_range / count;
  shape.low_width = step == 0 ? 0 : std::bit_width(step) - 1;
  shape.words = ((hash_range >> shape.low_width) + count + 63) / 64;
  shape.low_bytes = packed_bytes(count, shape.low_width);
  shape.number_width = static_cast<int>(std::bit_width(number_range));
  shape.number_bytes = packed_bytes(count, shape.number_width);
  return shape;
}

template <class Number>
void put_number(char* out, Number number) noexcept {
  std::memcpy(out, &number, sizeof number);
}

template <class Number>
Number number_at(const char* in) noexcept {
  Number number;
  std::memcpy(&number, in, sizeof number);
  return number;
}

// Numbers of up to 57 bits, packed.
void put_packed(char* out, size_t index, int width, uint64_t value) noexcept {
  const size_t bit = index * static_cast<size_t>(width);
  char* const bytes = out + bit / 8;
  put_number(bytes, number_at<uint64_t>(bytes) | value << (bit % 8));
}

uint64_t packed_at(const char* in, size_t index, int width) noexcept {
  const size_t bit = index * static_cast<size_t>(width);
  return number_at<uint64_t>(in + bit / 8) >> (bit % 8) & ((uint64_t{1} << width) - 1);
}

// Inline, where the compiler may not assume that the processor has an instruction for it.
int ones_of(uint64_t word) noexcept {
  word -= word >> 1 & 0x5555555555555555;
  word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
  return static_cast<int>(((word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56);
}

void put_checksum(std::string& block) noexcept {
  put_number(block.data(), static_cast<uint32_t>(XXH3_64bits(block.data() + 4, block.size() - 4)));
}

}  // namespace

size_t fitting_entries(std::span<const HashEntry> entries) noexcept {
  const uint64_t first = entries.front().hash;
  uint64_t least = entries.front().number, greatest = least;
  size_t count = 0;
  while (count < std::min(entries.size(), entries_max)) {
    least = std::min(least, entries[count].number);
    greatest = std::max(greatest, entries[count].number);
    if (shape_of(count + 1, entries[count].hash - first, greatest - least).bytes() > hash_block_bytes_max) break;
    ++count;
  }
  return count;
}

std::string encode_hash_block(std::span<const HashEntry> entries) {
  QUADRILLE_CHECK(!entries.empty() && entries.size() <= entries_max, "a block of hashes has some entries");
  const uint64_t first = entries.front().hash;
  const auto by_number = [](const HashEntry& a, const HashEntry& b) { return a.number < b.number; };
  const auto [least, greatest] = std::minmax_element(entries.begin(), entries.end(), by_number);
  const Shape shape = shape_of(entries.size(), entries.back().hash - first, greatest->number - least->number);
  std::string block(shape.bytes(), '\0');
  put_number(block.data() + 4, static_cast<uint16_t>(entries.size()));
  put_number(block.data() + 6, static_cast<uint16_t>(shape.words));
  block[8] = static_cast<char>(shape.low_width);
  block[9] = static_cast<char>(shape.number_width);
  put_number(block.data() + 12, least->number);
  char* const high = block.data() + head_bytes;
  char* const low = high + shape.words * 8;
  char* const numbers = low + shape.low_bytes;
  const uint64_t low_mask = (uint64_t{1} << shape.low_width) - 1;
  for (size_t i = 0; i < entries.size(); ++i) {
    const uint64_t hash = entries[i].hash - first;
    const uint64_t bit = (hash >> shape.low_width) + i;
    high[bit / 8] = static_cast<char>(high[bit / 8] | 1 << bit % 8);
    put_packed(low, i, shape.low_width, hash & low_mask);
    put_packed(numbers, i, shape.number_width, entries[i].number - least->number);
  }
  put_checksum(block);
  return block;
}

void shift_numbers(std::string& block, uint64_t by) noexcept {
  put_number(block.data() + 12, number_at<uint64_t>(block.data() + 12) + by);
  put_checksum(block);
}

std::optional<HashBlock> HashBlock::read(uint64_t first_hash, std::string_view value) noexcept {
  if (value.size() < head_bytes + padding_bytes) return std::nullopt;
  const char* const bytes = value.data();
  if (static_cast<uint32_t>(XXH3_64bits(bytes + 4, value.size() - 4)) != number_at<uint32_t>(bytes))
    return std::nullopt;
  HashBlock block;
  block.first_hash_ = first_hash;
  block.count_ = number_at<uint16_t>(bytes + 4);
  block.words_ = number_at<uint16_t>(bytes + 6);
  block.low_width_ = bytes[8];
  block.number_width_ = bytes[9];
  block.first_number_ = number_at<uint64_t>(bytes + 12);
  block.high_ = bytes + head_bytes;
  block.low_ = block.high_ + block.words_ * 8;
  block.numbers_ = block.low_ + packed_bytes(block.count_, block.low_width_);
  const size_t numbers_bytes = packed_bytes(block.count_, block.number_width_);
  if (block.count_ == 0 || block.words_ == 0 || block.low_width_ > short_hash_bits || block.number_width_ > 56 ||
      block.numbers_ + numbers_bytes + padding_bytes != bytes + value.size()) {
    return std::nullopt;
  }
  const uint64_t last_word = block.word(block.words_ - 1);
  const size_t last_bit = block.words_ * 64 - 1 - static_cast<size_t>(std::countl_zero(last_word));
  if (last_word == 0 || last_bit + 1 < block.count_) return std::nullopt;
  const uint64_t high = last_bit - (block.count_ - 1);
  block.last_hash_ = first_hash + (high << block.low_width_ | block.low_bits(block.count_ - 1));
  return block;
}

uint64_t HashBlock::word(size_t index) const noexcept { return number_at<uint64_t>(high_ + index * 8); }
uint64_t HashBlock::low_bits(size_t index) const noexcept { return packed_at(low_, index, low_width_); }
uint64_t HashBlock::number(size_t index) const noexcept {
  return first_number_ + packed_at(numbers_, index, number_width_);
}

void HashBlock::find(uint64_t hash, std::vector<uint64_t>& numbers) const {
  if (hash < first_hash_ || hash > last_hash_) return;
  const uint64_t offset = hash - first_hash_;
  const uint64_t high = offset >> low_width_;
  const uint64_t low = offset & ((uint64_t{1} << low_width_) - 1);
  // Behind the zero with the number `high` stand the ones of this value.
  size_t bit = 0;
  uint64_t zeros = 0;
  for (size_t i = 0; high > 0; ++i) {
    if (i == words_) return;
    uint64_t gaps = ~word(i);
    const auto here = static_cast<uint64_t>(ones_of(gaps));
    if (zeros + here >= high) {
      for (; zeros + 1 < high; ++zeros) gaps &= gaps - 1;
      bit = i * 64 + static_cast<size_t>(std::countr_zero(gaps)) + 1;
      break;
    }
    zeros += here;
  }
  for (size_t index = bit - high; index < count_; ++index, ++bit) {
    if ((static_cast<uint8_t>(high_[bit / 8]) >> bit % 8 & 1) == 0) return;
    const uint64_t its_low = low_bits(index);
    if (its_low > low) return;
    if (its_low == low) numbers.push_back(number(index));
  }
}

void HashBlock::append_entries(std::vector<HashEntry>& out) const {
  size_t index = 0;
  for (size_t i = 0; i < words_; ++i) {
    for (uint64_t ones = word(i); ones != 0 && index < count_; ones &= ones - 1, ++index) {
      const size_t bit = i * 64 + static_cast<size_t>(std::countr_zero(ones));
      out.push_back({first_hash_ + ((bit - index) << low_width_ | low_bits(index)), number(index)});
    }
  }
}

}  // namespace quadrille::store
