// A column grouped by another one, the keys: rows with the same key form one column each, if that is shorter. An object
// is far more like the other objects of its predicate than like its neighbours. A directory of the groups stands before
// them, so that one can be read alone.
//
// As column_codec.h: encoding is deterministic, decoding checks all that it reads and allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace quadrille::store {

// As many `keys` as `values`. Both sides need the keys as encode_column wrote them too, in `key_bytes`.
void encode_grouped_column(std::span<const uint64_t> keys, std::string_view key_bytes, std::span<const uint64_t> values,
                           std::string& out);
bool decode_grouped_column(std::string_view key_bytes, std::string_view bytes, std::span<uint64_t> values);
// A few rows, one by one: those from `first` on.
bool decode_grouped_rows(std::string_view key_bytes, std::string_view bytes, size_t rows, size_t first,
                         std::span<uint64_t> values);

}  // namespace quadrille::store
