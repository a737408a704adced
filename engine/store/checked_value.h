// Rows of the store's table of metadata: bytes with a checksum behind them, since nothing else would tell that a number
// of theirs is wrong.
//
// Format of a value: the bytes; 8 bytes of checksum, big-endian: XXH3 over the bytes, seeded by that of the key.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/store/environment.h"

namespace quadrille::store {

// The bytes are valid as any value of the transaction. Throws for a damaged row.
std::optional<std::string_view> get_checked(const ReadTransaction& transaction, const Table& table,
                                            std::string_view key);
void put_checked(WriteTransaction& transaction, const Table& table, std::string_view key, std::string_view bytes);

}  // namespace quadrille::store
