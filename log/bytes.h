// Bytes out and in: integers as varints (LEB128, shortest form only), fixed 8 bytes little-endian, and byte strings.
//
// A ByteReader is safe on hostile input: it never reads beyond its view; the first thing that does not fit makes it
// fail for good, and from then on it gives zeros and empty views. Ask ok() before trusting what was read, and bound
// every count by remaining() before making room for it.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace quadrille::log {

class ByteWriter {
 public:
  explicit ByteWriter(std::string& out) : out_(out) {}

  void byte(uint8_t value) { out_.push_back(static_cast<char>(value)); }
  void varint(uint64_t value) {
    while (value >= 0x80) {
      out_.push_back(static_cast<char>(value | 0x80));
      value >>= 7;
    }
    out_.push_back(static_cast<char>(value));
  }
  void signed_varint(int64_t value) {  // zigzag: small numbers of either sign are short
    varint(static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63));
  }
  void fixed64(uint64_t value) {
    char bytes[8];
    std::memcpy(bytes, &value, sizeof bytes);
    out_.append(bytes, sizeof bytes);
  }
  void raw(std::string_view bytes) { out_.append(bytes); }
  void sized(std::string_view bytes) {
    varint(bytes.size());
    raw(bytes);
  }

 private:
  std::string& out_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  bool ok() const noexcept { return ok_; }
  bool at_end() const noexcept { return rest_.empty(); }
  size_t remaining() const noexcept { return rest_.size(); }
  void fail() noexcept {
    ok_ = false;
    rest_ = {};
  }

  uint8_t byte() noexcept {
    if (rest_.empty()) return fail(), uint8_t{0};
    const auto value = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return value;
  }
  uint64_t varint() noexcept {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const uint8_t next = byte();
      if (!ok_) return 0;
      if (shift == 63 && next > 1) break;  // more than 64 bits
      if (shift > 0 && next == 0) break;   // not the shortest form
      value |= uint64_t{next & 0x7fu} << shift;
      if (next < 0x80) return value;
    }
    return fail(), 0;
  }
  int64_t signed_varint() noexcept {
    const uint64_t value = varint();
    return static_cast<int64_t>(value >> 1 ^ (~(value & 1) + 1));
  }
  uint64_t fixed64() noexcept {
    const std::string_view bytes = raw(8);
    uint64_t value = 0;
    if (ok_) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  std::string_view raw(uint64_t size) noexcept {
    if (size > rest_.size()) return fail(), std::string_view{};
    const std::string_view bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return bytes;
  }
  std::string_view sized() noexcept { return raw(varint()); }
  // A count of things that take at least `bytes_each` bytes each; fails if they cannot all be there.
  uint64_t count(uint64_t bytes_each) noexcept {
    const uint64_t value = varint();
    if (ok_ && value > rest_.size() / bytes_each) fail();
    return ok_ ? value : 0;
  }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace quadrille::log
