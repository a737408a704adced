#include "engine/store/column_codec.h"

#include <algorithm>
#include <array>
#include <bit>

#include "engine/base/check.h"
#include "engine/store/packed_column.h"
#include "engine/store/value_numbering.h"

namespace quadrille::store {
namespace {

// The first byte of a column, beside those of a simple one (packed_column.h). Part of the format: numbers are never
// used again.
enum Form : uint8_t { Constant = 0, Runs = 3, Table = 4 };

// ---- runs ----

struct RunParts {
  Scratch values;
  Scratch lengths;
  size_t count = 0;
};

// False: there are too many runs for the form to pay.
bool find_runs(std::span<const uint64_t> values, RunParts& runs) {
  runs.count = 0;
  for (size_t row = 0; row < values.size();) {
    if (runs.count == values.size() / 2) return false;
    size_t end = row + 1;
    while (end < values.size() && values[end] == values[row]) ++end;
    runs.values[runs.count] = values[row];
    runs.lengths[runs.count++] = end - row;
    row = end;
  }
  return true;
}

bool take_run_parts(std::string_view& bytes, size_t rows, RunParts& runs) {
  uint64_t count = 0;
  if (!take_number(bytes, count) || count == 0 || count > rows) return false;
  runs.count = count;
  return take_simple(bytes, std::span(runs.values).first(count)) &&
         take_counts(bytes, std::span(runs.lengths).first(count));
}

bool take_runs(std::string_view& bytes, size_t rows, size_t first, std::span<uint64_t> values) {
  RunParts runs;
  if (!take_run_parts(bytes, rows, runs)) return false;
  const size_t last = first + values.size();
  size_t row = 0;
  for (size_t run = 0; run < runs.count; ++run) {
    if (runs.lengths[run] > rows - row) return false;
    const size_t end = row + runs.lengths[run];
    const size_t from = std::max(row, first), to = std::min(end, last);
    if (from < to) std::fill(values.data() + (from - first), values.data() + (to - first), runs.values[run]);
    row = end;
  }
  return row == rows;
}

// ---- table: the distinct values, and of each row the place in them ----

struct DistinctValues {
  std::array<uint64_t, table_values_max> values;  // ascending
  size_t count = 0;
};

// False: there are too many for a table to pay.
bool find_distinct(std::span<const uint64_t> values, DistinctValues& distinct) {
  const size_t limit = std::min(table_values_max, values.size() / 2);
  ValueNumbering<table_values_max> numbering(table_values_max);
  for (uint64_t value : values) {
    if (numbering.add(value) >= limit) return false;
  }
  distinct.count = numbering.values().size();
  std::copy(numbering.values().begin(), numbering.values().end(), distinct.values.begin());
  std::sort(distinct.values.begin(), distinct.values.begin() + static_cast<ptrdiff_t>(distinct.count));
  return true;
}

void put_table(const SimplePlan& plan, std::span<const uint64_t> distinct, std::span<const uint64_t> values,
               std::string& out) {
  out.push_back(static_cast<char>(distinct.size() - 1));
  put_simple(plan, distinct, out);
  ValueNumbering<table_values_max> numbering(distinct.size());
  for (uint64_t value : distinct) numbering.add(value);
  Scratch numbers;
  for (size_t row = 0; row < values.size(); ++row) numbers[row] = numbering.find(values[row]);
  pack_bits(std::span(numbers).first(values.size()), width_of(distinct.size() - 1), out);
}

// In a damaged table places may be too large, but they are less than table_values_max.
bool read_places(std::string_view bytes, size_t rows, size_t distinct, size_t first, std::span<uint64_t> places) {
  const int width = width_of(distinct - 1);
  if (bytes.size() < packed_bytes(rows, width)) return false;
  unpack_bits(bytes, width, first, places);
  return true;
}

bool take_table(std::string_view& bytes, size_t rows, size_t first, std::span<uint64_t> values) {
  uint8_t last = 0;
  if (!take_byte(bytes, last)) return false;
  std::array<uint64_t, table_values_max> distinct;
  const size_t count = size_t{last} + 1;
  std::fill(distinct.begin() + static_cast<ptrdiff_t>(count),
            distinct.begin() + static_cast<ptrdiff_t>(std::bit_ceil(count)), uint64_t{0});
  if (!take_simple(bytes, std::span(distinct).first(count))) return false;
  if (!read_places(bytes, rows, count, first, values)) return false;
  bytes.remove_prefix(packed_bytes(rows, width_of(last)));
  uint64_t largest = 0;
  for (uint64_t& value : values) {
    largest = std::max(largest, value);
    value = distinct[value];
  }
  return largest < count;
}

bool take_rows(std::string_view& bytes, size_t rows, size_t first, std::span<uint64_t> values) {
  uint8_t form = 0;
  if (rows == 0 || rows > column_rows_max || !take_byte(bytes, form)) return false;
  switch (form) {
    case Constant: {
      uint64_t value = 0;
      if (!take_number(bytes, value)) return false;
      std::fill(values.begin(), values.end(), turned_back(NumberKind::Id, value));
      return true;
    }
    case Packed: return take_packed(NumberKind::Id, bytes, rows, first, values);
    case Delta: {
      if (first == 0) return take_delta(bytes, rows, values);
      Scratch begin;
      if (!take_delta(bytes, rows, std::span(begin).first(first + values.size()))) return false;
      std::copy_n(begin.begin() + static_cast<ptrdiff_t>(first), values.size(), values.begin());
      return true;
    }
    case Runs: return take_runs(bytes, rows, first, values);
    case Table: return take_table(bytes, rows, first, values);
    default: return false;
  }
}

}  // namespace

void encode_column(std::span<const uint64_t> values, std::string& out) {
  QUADRILLE_CHECK(!values.empty() && values.size() <= column_rows_max, "a column has 1 to 2048 rows");
  if (std::all_of(values.begin(), values.end(), [&](uint64_t value) { return value == values.front(); })) {
    out.push_back(static_cast<char>(Constant));
    put_number(turned(NumberKind::Id, values.front()), out);
    return;
  }
  const SimplePlan simple = plan_simple(values);
  bool has_few_runs = false;
  size_t best_bytes = simple.bytes;
  RunParts runs;
  SimplePlan run_values;
  if (find_runs(values, runs)) {
    run_values = plan_simple(std::span(runs.values).first(runs.count));
    const size_t bytes =
        2 + run_values.bytes + plan_packed(NumberKind::Count, std::span(runs.lengths).first(runs.count)).bytes;
    if (bytes < best_bytes) {
      has_few_runs = true;
      best_bytes = bytes;
    }
  }
  DistinctValues distinct;
  if (find_distinct(values, distinct)) {
    const auto table = std::span(distinct.values).first(distinct.count);
    const SimplePlan plan = plan_simple(table);
    if (2 + plan.bytes + packed_bytes(values.size(), width_of(distinct.count - 1)) < best_bytes) {
      out.push_back(static_cast<char>(Table));
      return put_table(plan, table, values, out);
    }
  }
  if (!has_few_runs) return put_simple(simple, values, out);
  out.push_back(static_cast<char>(Runs));
  put_number(runs.count, out);
  put_simple(run_values, std::span(runs.values).first(runs.count), out);
  put_counts(std::span(runs.lengths).first(runs.count), out);
}

bool decode_column(std::string_view& bytes, std::span<uint64_t> values) {
  return take_rows(bytes, values.size(), 0, values);
}

bool decode_rows(std::string_view bytes, size_t rows, size_t first, std::span<uint64_t> values) {
  QUADRILLE_CHECK(first <= rows && values.size() <= rows - first, "the rows of a column that it has");
  return values.empty() || take_rows(bytes, rows, first, values);
}

std::optional<uint64_t> constant_of(std::string_view bytes) {
  uint8_t form = 0;
  uint64_t value = 0;
  if (!take_byte(bytes, form) || form != Constant || !take_number(bytes, value)) return std::nullopt;
  return turned_back(NumberKind::Id, value);
}

namespace {

std::optional<RowRange> find_in_delta(std::string_view bytes, size_t rows, uint64_t value) {
  uint64_t current = 0;
  Scratch differences;
  if (rows < 2 || !take_number(bytes, current)) return std::nullopt;
  if (!take_packed(NumberKind::Count, bytes, rows - 1, 0, std::span(differences).first(rows - 1))) return std::nullopt;
  current = turned_back(NumberKind::Id, current);
  RowRange found{0, 0};
  while (current < value) {
    if (++found.begin == rows) break;
    current += unfold_sign(differences[found.begin - 1]);
  }
  for (found.end = found.begin; found.end < rows && current == value;) {
    if (++found.end < rows) current += unfold_sign(differences[found.end - 1]);
  }
  return found;
}

}  // namespace

std::optional<RowRange> find_in_ascending(std::string_view bytes, size_t rows, uint64_t value) {
  uint8_t form = 0;
  RunParts runs;
  if (rows > column_rows_max || !take_byte(bytes, form)) return std::nullopt;
  if (form == Delta) return find_in_delta(bytes, rows, value);
  if (form != Runs || !take_run_parts(bytes, rows, runs)) return std::nullopt;
  RowRange found{0, 0};
  for (size_t run = 0; run < runs.count && runs.values[run] <= value; ++run) {
    if (runs.lengths[run] > rows - found.end) return std::nullopt;
    found.end += runs.lengths[run];
    if (runs.values[run] == value) return found;
    found.begin = found.end;
  }
  return found;
}

bool is_table(std::string_view bytes) noexcept {
  return !bytes.empty() && static_cast<uint8_t>(bytes.front()) == Table;
}

bool decode_places(std::string_view bytes, size_t rows, size_t distinct, std::span<uint64_t> places) {
  uint8_t form = 0, last = 0;
  if (!take_byte(bytes, form) || form != Table || !take_byte(bytes, last)) return false;
  return size_t{last} + 1 == distinct && skip_simple(bytes, distinct) && read_places(bytes, rows, distinct, 0, places);
}

}  // namespace quadrille::store
