// How a damaged row is told: file, table and key, so that a person finds it and `quadrille verify` can say more.
#pragma once

#include <string>
#include <string_view>

#include "engine/store/environment.h"

namespace quadrille::store {

// Bytes in hexadecimal digits.
std::string text_of_key(std::string_view key);

// Throws StorageError (Corruption). A row of blocks is a block.
[[noreturn]] void fail_damaged_row(const ReadTransaction& transaction, const Table& table, std::string_view key);
// For a term that is nowhere, although the table has, or names, it.
[[noreturn]] void fail_missing_term(const ReadTransaction& transaction, const Table& table, uint64_t number);

}  // namespace quadrille::store
