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
// A column may also be written grouped by another: grouped_column.h.
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

// A block of quads has 512 rows at most, a part of a chunk of the log this many.
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

// Whether a column has the form of a table, and of such a one each row's place among its distinct values, which are
// `distinct` and ascend. Of damaged bytes places may be too large, but are less than table_values_max.
inline constexpr size_t table_values_max = 256;
bool is_table(std::string_view bytes) noexcept;
bool decode_places(std::string_view bytes, size_t rows, size_t distinct, std::span<uint64_t> places);

}  // namespace quadrille::store
