#include "engine/store/packed_column.h"

#include <algorithm>
#include <limits>

namespace quadrille::store {
namespace {

// ---- packed: width (and whether there are exceptions), smallest value, number of exceptions if there are any, bits,
// exceptions (row gap, high bits) ----

constexpr uint8_t has_exceptions = 0x80;  // beside the width

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

std::span<const uint64_t> differences_of(std::span<const uint64_t> values, Scratch& scratch) {
  for (size_t row = 1; row < values.size(); ++row) scratch[row - 1] = fold_sign(values[row] - values[row - 1]);
  return std::span(scratch).first(values.size() - 1);
}

}  // namespace

// The width for which offsets and exceptions together are shortest.
PackedPlan plan_packed(NumberKind kind, std::span<const uint64_t> values) {
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

void put_counts(std::span<const uint64_t> values, std::string& out) {
  put_packed(plan_packed(NumberKind::Count, values), values, out);
}

bool take_packed(NumberKind kind, std::string_view& bytes, size_t rows, size_t first, std::span<uint64_t> values) {
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
  return take_packed(NumberKind::Count, bytes, values.size(), 0, values);
}

SimplePlan plan_simple(std::span<const uint64_t> values) {
  SimplePlan plan{false, plan_packed(NumberKind::Id, values), 0};
  plan.bytes = 1 + plan.packed.bytes;
  if (values.size() < 2) return plan;
  Scratch scratch;
  const PackedPlan differences = plan_packed(NumberKind::Count, differences_of(values, scratch));
  const size_t bytes = 1 + number_bytes(turned(NumberKind::Id, values.front())) + differences.bytes;
  return bytes < plan.bytes ? SimplePlan{true, differences, bytes} : plan;
}

void put_simple(const SimplePlan& plan, std::span<const uint64_t> values, std::string& out) {
  if (plan.is_delta) {
    Scratch scratch;
    out.push_back(static_cast<char>(Delta));
    put_number(turned(NumberKind::Id, values.front()), out);
    put_packed(plan.packed, differences_of(values, scratch), out);
  } else {
    out.push_back(static_cast<char>(Packed));
    put_packed(plan.packed, values, out);
  }
}

bool take_delta(std::string_view& bytes, size_t rows, std::span<uint64_t> values) {
  if (rows < 2 || values.empty() || !take_number(bytes, values[0])) return false;
  values[0] = turned_back(NumberKind::Id, values[0]);
  if (!take_packed(NumberKind::Count, bytes, rows - 1, 0, values.subspan(1))) return false;
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
  if (form == Packed) return take_packed(NumberKind::Id, bytes, values.size(), 0, values);
  return form == Delta && take_delta(bytes, values.size(), values);
}

bool skip_simple(std::string_view& bytes, size_t rows) {
  uint8_t form = 0;
  uint64_t first = 0;
  if (!take_byte(bytes, form)) return false;
  if (form == Packed) return take_packed(NumberKind::Id, bytes, rows, 0, {});
  return form == Delta && rows >= 2 && take_number(bytes, first) &&
         take_packed(NumberKind::Count, bytes, rows - 1, 0, {});
}

}  // namespace quadrille::store
