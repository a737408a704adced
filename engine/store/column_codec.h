// Columns of 64-bit numbers as few bytes: the inside of a block of quads.
//
// Each column is written in the form that is shortest for it:
//   constant     one value
//   packed       offsets from the smallest value in as many bits as most of them need; the few that need more have
//                their high bits in a list beside (Zukowski et al., "Super-Scalar RAM-CPU Cache Compression", ICDE
//                2006)
//   delta        differences from row to row, packed likewise
//   runs         values and lengths of runs, each packed
//   table        the distinct values, and their numbers packed
// and a column may be written grouped by another: rows with the same key in that column form one column each. An object
// is far more like the other objects of its predicate than like its neighbours. A directory of the groups stands before
// them, so that one can be read alone.
//
// Encoding is deterministic. Decoding checks all that it reads: a damaged column is false, never a wild read. It
// allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace quadrille::store {

inline constexpr size_t column_rows_max = 2048;

// Appends the shortest form to `out`. 1 to column_rows_max values.
void encode_column(std::span<const uint64_t> values, std::string& out);

// Reads a column of values.size() rows from the front of `bytes` and takes it off. False: it is damaged.
bool decode_column(std::string_view& bytes, std::span<uint64_t> values);
// Some rows of a column of `rows`: those from `first` on, as many as `values` has room for.
bool decode_rows(std::string_view bytes, size_t rows, size_t first, std::span<uint64_t> values);
// The one value of a column in constant form.
std::optional<uint64_t> constant_of(std::string_view bytes);
// Where `value` stands, or would stand (an empty range), among the rows of a column that ascends. Nothing where the
// form is not one that can be searched without decoding it, or damaged.
struct RowRange {
  size_t begin, end;
};
std::optional<RowRange> find_in_ascending(std::string_view bytes, size_t rows, uint64_t value);

// The same, grouped by `keys` (as many as values) if that is shorter. Both sides need the keys as encode_column wrote
// them too, in `key_bytes`.
void encode_grouped_column(std::span<const uint64_t> keys, std::string_view key_bytes, std::span<const uint64_t> values,
                           std::string& out);
bool decode_grouped_column(std::string_view key_bytes, std::string_view bytes, std::span<uint64_t> values);
// A few rows, one by one: those from `first` on.
bool decode_grouped_rows(std::string_view key_bytes, std::string_view bytes, size_t rows, size_t first,
                         std::span<uint64_t> values);

}  // namespace quadrille::store
