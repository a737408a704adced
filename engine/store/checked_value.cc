#include "engine/store/checked_value.h"

#include <xxhash.h>

#include "engine/store/damage.h"
#include "engine/store/key.h"

namespace quadrille::store {
namespace {

constexpr size_t checksum_bytes = 8;

uint64_t checksum_of(std::string_view key, std::string_view bytes) {
  const uint64_t seed = XXH3_64bits(key.data(), key.size());
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

}  // namespace

std::optional<std::string_view> get_checked(const ReadTransaction& transaction, const Table& table,
                                            std::string_view key) {
  const auto value = transaction.get(table, key);
  if (!value) return std::nullopt;
  if (value->size() < checksum_bytes) fail_damaged_row(transaction, table, key);
  const std::string_view bytes = value->substr(0, value->size() - checksum_bytes);
  if (big_endian_at(*value, bytes.size()) != checksum_of(key, bytes)) fail_damaged_row(transaction, table, key);
  return bytes;
}

void put_checked(WriteTransaction& transaction, const Table& table, std::string_view key, std::string_view bytes) {
  std::string value(bytes);
  append_big_endian(value, checksum_of(key, bytes));
  transaction.put(table, key, value);
}

}  // namespace quadrille::store
