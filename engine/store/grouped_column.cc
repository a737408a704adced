#include "engine/store/grouped_column.h"

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "engine/base/check.h"
#include "engine/store/column_codec.h"
#include "engine/store/packed_column.h"
#include "engine/store/value_numbering.h"

namespace quadrille::store {
namespace {

// Plain: a column as column_codec.h has it. Grouped: number of groups; keys, ascending, unless they are the table of
// the keys' column; rows and bytes of each group; their columns. The first byte; part of the format: numbers are never
// used again.
enum Form : uint8_t { Plain = 5, Grouped = 6, GroupedByTable = 7 };

using KeyNumbering = ValueNumbering<column_rows_max>;

struct GroupDirectory {
  Form form = Grouped;
  Scratch keys;  // where they are written here
  Scratch row_counts;
  Scratch byte_counts;
  size_t count = 0;
};

void encode_groups(std::span<const uint64_t> keys, std::span<const uint64_t> values, bool with_keys, std::string& out) {
  KeyNumbering numbering(keys.size());
  std::array<uint16_t, column_rows_max> group_of_row;
  for (size_t row = 0; row < keys.size(); ++row) group_of_row[row] = numbering.add(keys[row]);
  const auto distinct = numbering.values();
  std::vector<uint16_t> ascending(distinct.size());
  for (size_t group = 0; group < ascending.size(); ++group) ascending[group] = static_cast<uint16_t>(group);
  std::sort(ascending.begin(), ascending.end(), [&](uint16_t a, uint16_t b) { return distinct[a] < distinct[b]; });
  std::vector<uint64_t> row_counts(distinct.size()), byte_counts(distinct.size()), sorted_keys(distinct.size());
  std::vector<uint16_t> place_of(distinct.size());
  for (size_t place = 0; place < ascending.size(); ++place) {
    place_of[ascending[place]] = static_cast<uint16_t>(place);
    sorted_keys[place] = distinct[ascending[place]];
  }
  for (size_t row = 0; row < keys.size(); ++row) ++row_counts[place_of[group_of_row[row]]];
  std::vector<size_t> next(distinct.size());
  for (size_t place = 1; place < next.size(); ++place) next[place] = next[place - 1] + row_counts[place - 1];
  std::vector<uint64_t> gathered(values.size());
  for (size_t row = 0; row < keys.size(); ++row) gathered[next[place_of[group_of_row[row]]]++] = values[row];
  std::string columns;
  size_t start = 0;
  for (size_t place = 0; place < row_counts.size(); start += row_counts[place++]) {
    const size_t before = columns.size();
    encode_column(std::span(gathered).subspan(start, row_counts[place]), columns);
    byte_counts[place] = columns.size() - before;
  }
  put_number(distinct.size(), out);
  if (with_keys) put_simple(plan_simple(sorted_keys), sorted_keys, out);
  put_counts(row_counts, out);
  put_counts(byte_counts, out);
  out += columns;
}

bool take_directory(Form form, std::string_view& bytes, size_t rows, GroupDirectory& groups) {
  uint64_t count = 0;
  if (!take_number(bytes, count) || count == 0 || count > rows) return false;
  groups.count = count;
  groups.form = form;
  if ((form == Grouped && !take_simple(bytes, std::span(groups.keys).first(count))) ||
      !take_counts(bytes, std::span(groups.row_counts).first(count)) ||
      !take_counts(bytes, std::span(groups.byte_counts).first(count))) {
    return false;
  }
  size_t all_rows = 0;
  for (size_t group = 0; group < count; ++group) {
    if (groups.row_counts[group] == 0 || groups.row_counts[group] > rows - all_rows) return false;
    all_rows += groups.row_counts[group];
  }
  return all_rows == rows;
}

// The first groups.size() rows' groups, by place in the directory. Of damaged bytes they may be too large, but are less
// than column_rows_max.
bool read_groups(std::string_view key_bytes, size_t rows, const GroupDirectory& directory, std::span<uint64_t> groups) {
  if (directory.form == GroupedByTable) return decode_places(key_bytes, rows, directory.count, groups);
  if (!decode_rows(key_bytes, rows, 0, groups)) return false;
  KeyNumbering numbering(directory.count);
  for (size_t place = 0; place < directory.count; ++place) {
    if (numbering.add(directory.keys[place]) != place) return false;  // a key twice
  }
  for (uint64_t& group : groups) group = numbering.find(group);
  return std::all_of(groups.begin(), groups.end(), [](uint64_t group) { return group != KeyNumbering::none; });
}

bool take_groups(Form form, std::string_view key_bytes, std::string_view bytes, std::span<uint64_t> values) {
  GroupDirectory directory;
  if (!take_directory(form, bytes, values.size(), directory)) return false;
  if (!read_groups(key_bytes, values.size(), directory, values)) return false;
  Scratch gathered;
  std::array<uint16_t, column_rows_max> next, end;
  size_t start = 0;
  for (size_t group = 0; group < directory.count; ++group) {
    next[group] = static_cast<uint16_t>(start);
    const auto column = std::span(gathered).subspan(start, directory.row_counts[group]);
    start += column.size();
    end[group] = static_cast<uint16_t>(start);
    if (!decode_column(bytes, column)) return false;
  }
  for (uint64_t& value : values) {
    const size_t group = value;
    if (group >= directory.count || next[group] == end[group]) return false;
    value = gathered[next[group]++];
  }
  return true;
}

// One row of a group, which is there.
bool read_group_row(const GroupDirectory& directory, std::string_view columns, uint64_t group, size_t row,
                    uint64_t& value) {
  if (group >= directory.count || row >= directory.row_counts[group]) return false;
  size_t start = 0;
  for (size_t other = 0; other < group; ++other) start += directory.byte_counts[other];
  if (start > columns.size()) return false;
  return decode_rows(columns.substr(start), directory.row_counts[group], row, {&value, 1});
}

// Rows `first` to the end of `groups`.
bool read_group_rows(const GroupDirectory& directory, std::string_view columns, std::span<const uint64_t> groups,
                     size_t first, std::span<uint64_t> values) {
  const auto before = groups.first(first), wanted = groups.subspan(first);
  if (std::adjacent_find(wanted.begin(), wanted.end(), std::not_equal_to<>()) == wanted.end()) {
    // The objects of one predicate, as a rule.
    size_t row = 0;
    for (const uint64_t group : before) row += group == wanted.front() ? 1 : 0;
    for (uint64_t& value : values) {
      if (!read_group_row(directory, columns, wanted.front(), row++, value)) return false;
    }
    return true;
  }
  std::array<uint16_t, column_rows_max> next_row;
  std::fill_n(next_row.begin(), std::max(table_values_max, directory.count), uint16_t{0});
  for (const uint64_t group : before) ++next_row[group];
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!read_group_row(directory, columns, wanted[i], next_row[wanted[i]]++, values[i])) return false;
  }
  return true;
}

}  // namespace

void encode_grouped_column(std::span<const uint64_t> keys, std::string_view key_bytes, std::span<const uint64_t> values,
                           std::string& out) {
  QUADRILLE_CHECK(keys.size() == values.size(), "a key for each value");
  const size_t start = out.size();
  out.push_back(static_cast<char>(Plain));
  encode_column(values, out);
  const bool by_table = is_table(key_bytes);
  std::string grouped(1, static_cast<char>(by_table ? GroupedByTable : Grouped));
  encode_groups(keys, values, !by_table, grouped);
  if (grouped.size() < out.size() - start) out.replace(start, std::string::npos, grouped);
}

bool decode_grouped_column(std::string_view key_bytes, std::string_view bytes, std::span<uint64_t> values) {
  uint8_t form = 0;
  if (values.size() > column_rows_max || !take_byte(bytes, form)) return false;
  if (form == Plain) return decode_column(bytes, values);
  return (form == Grouped || form == GroupedByTable) && take_groups(static_cast<Form>(form), key_bytes, bytes, values);
}

bool decode_grouped_rows(std::string_view key_bytes, std::string_view bytes, size_t rows, size_t first,
                         std::span<uint64_t> values) {
  QUADRILLE_CHECK(first <= rows && values.size() <= rows - first, "the rows of a column that it has");
  uint8_t form = 0;
  if (rows > column_rows_max || values.empty() || !take_byte(bytes, form)) return values.empty();
  if (form == Plain) return decode_rows(bytes, rows, first, values);
  GroupDirectory directory;
  if (form != Grouped && form != GroupedByTable) return false;
  if (!take_directory(static_cast<Form>(form), bytes, rows, directory)) return false;
  Scratch scratch;
  const auto groups = std::span(scratch).first(first + values.size());
  return read_groups(key_bytes, rows, directory, groups) && read_group_rows(directory, bytes, groups, first, values);
}

}  // namespace quadrille::store
