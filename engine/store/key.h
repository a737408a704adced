// Building blocks of table keys: integers as big-endian bytes, so that LMDB's bytewise order is their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/check.h"

namespace quadrille::store {

inline void write_big_endian(char* out, uint64_t value) noexcept {
  value = __builtin_bswap64(value);
  __builtin_memcpy(out, &value, sizeof value);
}

inline uint64_t read_big_endian(const char* in) noexcept {
  uint64_t value;
  __builtin_memcpy(&value, in, sizeof value);
  return __builtin_bswap64(value);
}
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "Quadrille runs on little-endian machines");

inline void append_big_endian(std::string& key, uint64_t value) {
  char bytes[8];
  write_big_endian(bytes, value);
  key.append(bytes, sizeof bytes);
}

// The 8 bytes at `offset` of a key. Requires that they are there.
inline uint64_t big_endian_at(std::string_view key, size_t offset) {
  QUADRILLE_CHECK(offset + 8 <= key.size(), "a key is shorter than its table's keys are");
  return read_big_endian(key.data() + offset);
}

// The smallest key after every key that starts with `prefix`; empty if there is none (all bytes are 0xff).
inline std::string after_prefix(std::string_view prefix) {
  std::string next(prefix);
  while (!next.empty() && next.back() == '\xff') next.pop_back();
  if (!next.empty()) next.back() = static_cast<char>(static_cast<unsigned char>(next.back()) + 1);
  return next;
}

}  // namespace quadrille::store
