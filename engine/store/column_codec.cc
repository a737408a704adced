#include "engine/store/column_codec.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <limits>
#include <vector>

#include "engine/base/check.h"
#include "engine/store/bit_packing.h"

namespace quadrille::store {
namespace {

// The first byte of a column, or of a part of one. Part of the format: numbers are never used again.
enum Form : uint8_t {
  Constant = 0,
  Packed = 1,
  Delta = 2,
  Runs = 3,
  Table = 4,
  Plain = 5,
  Grouped = 6,
  GroupedByTable = 7
};

constexpr size_t table_values_max = 256;

// Not initialised: each of its users fills what it reads.
using Scratch = std::array<uint64_t, column_rows_max>;

// ---- single numbers ----

// LEB128: seven bits a byte, lowest first.
void put_number(uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

bool take_number(std::string_view& bytes, uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(bytes.front());
    bytes.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

bool take_byte(std::string_view& bytes, uint8_t& value) {
  if (bytes.empty()) return false;
  value = static_cast<uint8_t>(bytes.front());
  bytes.remove_prefix(1);
  return true;
}

size_t number_bytes(uint64_t value) noexcept { return value == 0 ? 1 : (static_cast<size_t>(width_of(value)) + 6) / 7; }

// Ids have their tag in the highest byte and zeros below it: turned, they are small numbers.
enum class Kind : uint8_t { Id, Count };
constexpr uint64_t turned(Kind kind, uint64_t value) noexcept { return kind == Kind::Id ? std::rotl(value, 8) : value; }
constexpr uint64_t turned_back(Kind kind, uint64_t value) noexcept {
  return kind == Kind::Id ? std::rotr(value, 8) : value;
}

// So that small differences of either sign are small numbers.
constexpr uint64_t fold_sign(uint64_t difference) noexcept { return (difference << 1) ^ (0 - (difference >> 63)); }
constexpr uint64_t unfold_sign(uint64_t folded) noexcept { return (folded >> 1) ^ (0 - (folded & 1)); }

// ---- packed: width (and whether there are exceptions), smallest value, number of exceptions if there are any, bits,
// exceptions (row gap, high bits) ----

constexpr uint8_t has_exceptions = 0x80;  // beside the width

struct PackedPlan {
  Kind kind = Kind::Id;
  uint64_t smallest = 0;
  int width = 0;
  size_t bytes = 0;  // about: exceptions may take a byte more or less
};

// The width for which offsets and exceptions together are shortest.
PackedPlan plan_packed(Kind kind, std::span<const uint64_t> values) {
  PackedPlan plan{kind, *std::min_element(values.begin(), values.end()), 0, std::numeric_limits<size_t>::max()};
  std::array<uint32_t, 65> rows_of_width{};
  for (uint64_t value : values) ++rows_of_width[static_cast<size_t>(width_of(value - plan.smallest))];
  int widest = 64;
  while (widest > 0 && rows_of_width[static_cast<size_t>(widest)] == 0) --widest;
  size_t exceptions = 0;
  for (int width = widest; width >= 0; --width) {
    const size_t exception_bytes = 1 + static_cast<size_t>(widest - width + 6) / 7 + (values.size() > 1024 ? 1 : 0);
    const size_t bytes = packed_bytes(values.size(), width) + exceptions * exception_bytes;
    if (bytes < plan.bytes) {
      plan.bytes = bytes;
      plan.width = width;
    }
    exceptions += rows_of_width[static_cast<size_t>(width)];
  }
  plan.bytes += number_bytes(turned(kind, plan.smallest)) + 1;
  return plan;
}

void put_packed(const PackedPlan& plan, std::span<const uint64_t> values, std::string& out) {
  Scratch offsets;
  std::array<uint16_t, column_rows_max> exceptions;
  size_t exception_count = 0;
  for (size_t row = 0; row < values.size(); ++row) {
    offsets[row] = values[row] - plan.smallest;
    if (plan.width < 64 && offsets[row] >> plan.width != 0) exceptions[exception_count++] = static_cast<uint16_t>(row);
  }
  out.push_back(static_cast<char>(plan.width | (exception_count > 0 ? has_exceptions : 0)));
  put_number(turned(plan.kind, plan.smallest), out);
  if (exception_count > 0) put_number(exception_count, out);
  pack_bits(std::span(offsets).first(values.size()), plan.width, out);
  size_t row = 0;
  for (size_t n = 0; n < exception_count; ++n) {
    put_number(exceptions[n] - row, out);
    row = exceptions[n];
    put_number(offsets[row] >> plan.width, out);
  }
}

void put_counts(std::span<const uint64_t> values, std::string& out) {
  put_packed(plan_packed(Kind::Count, values), values, out);
}

// Of a packed column of `rows` those from `first` on; takes all of it off.
bool take_packed(Kind kind, std::string_view& bytes, size_t rows, size_t first, std::span<uint64_t> values) {
  uint64_t smallest = 0, exception_count = 0;
  uint8_t width = 0;
  if (!take_byte(bytes, width) || !take_number(bytes, smallest)) return false;
  if ((width & has_exceptions) != 0 && !take_number(bytes, exception_count)) return false;
  width &= static_cast<uint8_t>(~has_exceptions);
  if (width > 64 || exception_count > rows) return false;
  smallest = turned_back(kind, smallest);
  const size_t size = packed_bytes(rows, width);
  if (bytes.size() < size) return false;
  // The reader of bits may look at the bytes behind its own, which makes it fast; they belong to this block too.
  unpack_bits(bytes, width, first, values);
  bytes.remove_prefix(size);
  uint64_t row = 0;
  for (uint64_t n = 0; n < exception_count; ++n) {
    uint64_t gap = 0, high_bits = 0;
    if (!take_number(bytes, gap) || !take_number(bytes, high_bits)) return false;
    row += gap;
    if (gap >= rows || row >= rows || width >= 64) return false;
    if (row >= first && row - first < values.size()) values[row - first] |= high_bits << width;
  }
  if (smallest != 0) {
    for (uint64_t& value : values) value += smallest;
  }
  return true;
}

bool take_counts(std::string_view& bytes, std::span<uint64_t> values) {
  return take_packed(Kind::Count, bytes, values.size(), 0, values);
}

// ---- packed or delta, whichever is shorter; also the parts of the forms that have parts ----

struct SimplePlan {
  bool is_delta = false;
  PackedPlan packed;  // of the values, or of their differences
  size_t bytes = 0;
};

std::span<const uint64_t> differences_of(std::span<const uint64_t> values, Scratch& scratch) {
  for (size_t row = 1; row < values.size(); ++row) scratch[row - 1] = fold_sign(values[row] - values[row - 1]);
  return std::span(scratch).first(values.size() - 1);
}

SimplePlan plan_simple(std::span<const uint64_t> values) {
  SimplePlan plan{false, plan_packed(Kind::Id, values), 0};
  plan.bytes = 1 + plan.packed.bytes;
  if (values.size() < 2) return plan;
  Scratch scratch;
  const PackedPlan differences = plan_packed(Kind::Count, differences_of(values, scratch));
  const size_t bytes = 1 + number_bytes(turned(Kind::Id, values.front())) + differences.bytes;
  return bytes < plan.bytes ? SimplePlan{true, differences, bytes} : plan;
}

void put_simple(const SimplePlan& plan, std::span<const uint64_t> values, std::string& out) {
  if (plan.is_delta) {
    Scratch scratch;
    out.push_back(static_cast<char>(Delta));
    put_number(turned(Kind::Id, values.front()), out);
    put_packed(plan.packed, differences_of(values, scratch), out);
  } else {
    out.push_back(static_cast<char>(Packed));
    put_packed(plan.packed, values, out);
  }
}

// Of a column of `rows` the first ones.
bool take_delta(std::string_view& bytes, size_t rows, std::span<uint64_t> values) {
  if (rows < 2 || values.empty() || !take_number(bytes, values[0])) return false;
  values[0] = turned_back(Kind::Id, values[0]);
  if (!take_packed(Kind::Count, bytes, rows - 1, 0, values.subspan(1))) return false;
  uint64_t value = values[0];
  for (size_t row = 1; row < values.size(); ++row) {
    value += unfold_sign(values[row]);
    values[row] = value;
  }
  return true;
}

bool take_simple(std::string_view& bytes, std::span<uint64_t> values) {
  uint8_t form = 0;
  if (!take_byte(bytes, form)) return false;
  if (form == Packed) return take_packed(Kind::Id, bytes, values.size(), 0, values);
  return form == Delta && take_delta(bytes, values.size(), values);
}

bool skip_simple(std::string_view& bytes, size_t rows) {
  uint8_t form = 0;
  uint64_t first = 0;
  if (!take_byte(bytes, form)) return false;
  if (form == Packed) return take_packed(Kind::Id, bytes, rows, 0, {});
  return form == Delta && rows >= 2 && take_number(bytes, first) && take_packed(Kind::Count, bytes, rows - 1, 0, {});
}

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

// ---- table ----

struct DistinctValues {
  std::array<uint64_t, table_values_max> values;  // ascending
  size_t count = 0;
};

// Numbers values as they come, by a hash table that is at most half full.
template <size_t count_max>
class Numbering {
 public:
  static constexpr uint16_t none = std::numeric_limits<uint16_t>::max();

  // For up to `expected` distinct values.
  explicit Numbering(size_t expected) : shift_(64 - width_of(std::min(expected, count_max)) - 1) {
    std::fill_n(slots_.begin(), size_t{1} << (64 - shift_), none);
  }
  uint16_t find(uint64_t value) const noexcept { return slots_[slot_of(value)]; }
  // `none`: there are more than count_max.
  uint16_t add(uint64_t value) noexcept {
    const size_t slot = slot_of(value);
    if (slots_[slot] == none && count_ < count_max) {
      values_[count_] = value;
      slots_[slot] = static_cast<uint16_t>(count_++);
    }
    return slots_[slot];
  }
  std::span<const uint64_t> values() const noexcept { return std::span(values_).first(count_); }

 private:
  size_t slot_of(uint64_t value) const noexcept {
    const size_t last = (size_t{1} << (64 - shift_)) - 1;
    size_t slot = (value * 0x9E3779B97F4A7C15u) >> shift_;
    while (slots_[slot] != none && values_[slots_[slot]] != value) slot = (slot + 1) & last;
    return slot;
  }

  int shift_;
  size_t count_ = 0;
  std::array<uint16_t, std::bit_ceil(count_max * 4)> slots_;
  std::array<uint64_t, count_max> values_;
};

// False: there are too many for a table to pay.
bool find_distinct(std::span<const uint64_t> values, DistinctValues& distinct) {
  const size_t limit = std::min(table_values_max, values.size() / 2);
  Numbering<table_values_max> numbering(table_values_max);
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
  Numbering<table_values_max> numbering(distinct.size());
  for (uint64_t value : distinct) numbering.add(value);
  Scratch numbers;
  for (size_t row = 0; row < values.size(); ++row) numbers[row] = numbering.find(values[row]);
  pack_bits(std::span(numbers).first(values.size()), width_of(distinct.size() - 1), out);
}

struct TableNumbers {
  std::string_view bytes;  // and what comes behind them
  size_t rows;
  size_t distinct;
};

// In a damaged table numbers may be too large, but they are less than table_values_max.
bool read_table_numbers(const TableNumbers& table, size_t first, std::span<uint64_t> numbers) {
  const int width = width_of(table.distinct - 1);
  if (table.bytes.size() < packed_bytes(table.rows, width)) return false;
  unpack_bits(table.bytes, width, first, numbers);
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
  if (!read_table_numbers({bytes, rows, count}, first, values)) return false;
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
      std::fill(values.begin(), values.end(), turned_back(Kind::Id, value));
      return true;
    }
    case Packed: return take_packed(Kind::Id, bytes, rows, first, values);
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
    put_number(turned(Kind::Id, values.front()), out);
    return;
  }
  const SimplePlan simple = plan_simple(values);
  Form best = Packed;
  size_t best_bytes = simple.bytes;
  RunParts runs;
  SimplePlan run_values;
  if (find_runs(values, runs)) {
    run_values = plan_simple(std::span(runs.values).first(runs.count));
    const size_t bytes =
        2 + run_values.bytes + plan_packed(Kind::Count, std::span(runs.lengths).first(runs.count)).bytes;
    if (bytes < best_bytes) {
      best = Runs;
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
  if (best == Packed) return put_simple(simple, values, out);
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
  return take_rows(bytes, rows, first, values);
}

std::optional<uint64_t> constant_of(std::string_view bytes) {
  uint8_t form = 0;
  uint64_t value = 0;
  if (!take_byte(bytes, form) || form != Constant || !take_number(bytes, value)) return std::nullopt;
  return turned_back(Kind::Id, value);
}

namespace {

std::optional<RowRange> find_in_delta(std::string_view bytes, size_t rows, uint64_t value) {
  uint64_t current = 0;
  Scratch differences;
  if (rows < 2 || !take_number(bytes, current)) return std::nullopt;
  if (!take_packed(Kind::Count, bytes, rows - 1, 0, std::span(differences).first(rows - 1))) return std::nullopt;
  current = turned_back(Kind::Id, current);
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

// ---- grouped: number of groups; keys, ascending, unless they are the table of the keys' column; rows and bytes of
// each; their columns ----

namespace {

using KeyNumbering = Numbering<column_rows_max>;

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
  if (directory.form == GroupedByTable) {
    uint8_t form = 0, last = 0;
    if (!take_byte(key_bytes, form) || form != Table || !take_byte(key_bytes, last)) return false;
    if (size_t{last} + 1 != directory.count || !skip_simple(key_bytes, directory.count)) return false;
    return read_table_numbers({key_bytes, rows, directory.count}, 0, groups);
  }
  if (!take_rows(key_bytes, rows, 0, groups)) return false;
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
  std::string_view column = columns.substr(start);
  return take_rows(column, directory.row_counts[group], row, {&value, 1});
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
  const bool by_table = !key_bytes.empty() && static_cast<uint8_t>(key_bytes.front()) == Table;
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
