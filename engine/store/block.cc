#include "engine/store/block.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>

#include "engine/base/check.h"
#include "engine/base/result.h"
#include "engine/store/column_codec.h"
#include "engine/store/grouped_column.h"

namespace quadrille::store {
namespace {

using model::QuadOrder;
using model::TermId;

static_assert(block_rows_max <= column_rows_max);

constexpr size_t rows_offset = 4;
constexpr size_t columns_offset = 6;
constexpr size_t header_bytes = 12;
// So few rows of a column are decoded alone; more than those, all of them.
constexpr size_t few_rows = 16;
// So many reads of few rows, and searches, are answered before all of a column is decoded.
constexpr int partial_reads_max = 4;

// Where the object stands in an order, and the predicate that groups it.
struct GroupedColumn {
  size_t column;
  size_t keys;
};
constexpr std::optional<GroupedColumn> grouped_column(QuadOrder order) noexcept {
  if (order == QuadOrder::Spog) return GroupedColumn{2, 1};
  if (order == QuadOrder::Gspo) return GroupedColumn{3, 2};
  return std::nullopt;
}

void set_number(std::string& bytes, size_t offset, uint64_t value, size_t size) {
  std::memcpy(bytes.data() + offset, &value, size);
}

uint64_t number_at(std::string_view bytes, size_t offset, size_t size) noexcept {
  uint64_t value = 0;
  std::memcpy(&value, bytes.data() + offset, size);
  return value;
}

uint32_t checksum_of(std::string_view first_row, std::string_view value) noexcept {
  const std::string_view content = value.substr(rows_offset);
  const uint64_t hash = XXH3_64bits(content.data(), content.size());
  return static_cast<uint32_t>(hash ^ XXH3_64bits(first_row.data(), first_row.size()));
}

}  // namespace

std::string BlockEncoder::encode(const QuadRow& first, size_t count) const {
  const auto part = [&](size_t position) { return std::span(columns_[position]).first(count); };
  const auto grouped = grouped_column(order_);
  std::string value(header_bytes, '\0');
  set_number(value, rows_offset, count, 2);
  std::array<size_t, 4> starts{};
  for (size_t position = 0; position < 4; ++position) {
    // Too long already: a try with too many rows. What is cut off here is never read.
    if (value.size() > block_bytes_max) return value;
    starts[position] = value.size();
    if (position > 0) set_number(value, columns_offset + (position - 1) * 2, value.size(), 2);
    if (grouped && grouped->column == position) {
      const std::string keys = value.substr(starts[grouped->keys]);
      encode_grouped_column(part(grouped->keys), keys, part(position), value);
    } else {
      encode_column(part(position), value);
    }
  }
  set_number(value, 0, checksum_of(QuadKey(first).view(), value), 4);
  return value;
}

CutBlock BlockEncoder::next(std::span<const QuadRow> rows) {
  QUADRILLE_CHECK(!rows.empty(), "there are no rows for a block");
  // As many rows fit as the bytes of those tried suggest: a few tries come near to the last one that does.
  constexpr int tries = 3;
  constexpr size_t full_enough = block_bytes_max * 7 / 8;
  const size_t left = std::min(rows.size(), block_rows_max);
  for (size_t position = 0; position < 4; ++position) {
    for (size_t row = 0; row < left; ++row) columns_[position][row] = rows[row][position].bits();
  }
  CutBlock best{0, 0, {}};
  size_t too_many = left + 1;
  size_t count = std::min(left, likely_rows_);
  for (int attempt = 0; best.rows == 0 || attempt < tries; ++attempt) {
    std::string value = encode(rows.front(), count);
    const size_t size = value.size();
    if (size > block_bytes_max) {
      too_many = count;
    } else if (count > best.rows) {
      best.rows = count;
      best.value = std::move(value);
    }
    if (best.rows + 1 >= too_many || (best.rows > 0 && best.value.size() >= full_enough)) break;
    const size_t guess = count * (block_bytes_max * 31 / 32) / size;
    count = std::clamp(guess, best.rows + 1, too_many - 1);
    if (size > block_bytes_max) count = std::min(count, best.rows + (too_many - best.rows) * 15 / 16);
  }
  likely_rows_ = best.rows;
  return best;
}

std::vector<CutBlock> encode_blocks(QuadOrder order, std::span<const QuadRow> rows, bool even_end) {
  std::vector<CutBlock> blocks;
  BlockEncoder encoder(order);
  const auto cut = [&](size_t start, size_t end) {
    while (start < end) {
      blocks.push_back(encoder.next(rows.subspan(start, end - start)));
      blocks.back().first_row = start;
      start += blocks.back().rows;
    }
  };
  cut(0, rows.size());
  if (!even_end || blocks.size() < 2 || blocks.back().rows >= blocks[blocks.size() - 2].rows / 2) return blocks;
  blocks.pop_back();
  const size_t start = blocks.back().first_row;
  blocks.pop_back();
  const size_t middle = start + (rows.size() - start + 1) / 2;
  cut(start, middle);
  cut(middle, rows.size());
  return blocks;
}

size_t Block::row_count(std::string_view value) noexcept {
  return value.size() < header_bytes ? 0 : number_at(value, rows_offset, 2);
}

bool Block::load(QuadOrder order, std::string_view first_row, std::string_view value, Keeping keeping) {
  order_ = order;
  rows_ = 0;
  is_checked_ = false;
  if (first_row.size() != quad_key_bytes || value.size() < header_bytes || value.size() > block_bytes_max) return false;
  const size_t rows = row_count(value);
  if (rows == 0 || rows > block_rows_max) return false;
  size_t start = header_bytes;
  for (size_t position = 0; position < 3; ++position) {
    const size_t next = number_at(value, columns_offset + position * 2, 2);
    if (next < start || next > value.size()) return false;
    start = next;
  }
  first_row_ = first_row;
  bytes_ = value;
  if (keeping == Keeping::Copies) {
    copy_ = value;
    copy_ += first_row;
    bytes_ = std::string_view(copy_).substr(0, value.size());
    first_row_ = std::string_view(copy_).substr(value.size());
  }
  rows_ = rows;
  for (size_t position = 0; position < 4; ++position) {
    const auto constant = constant_of(column_bytes(position));
    states_[position] = {};
    states_[position].is_constant = constant.has_value();
    states_[position].constant = constant.value_or(0);
  }
  return true;
}

bool Block::has_right_checksum() const noexcept { return number_at(bytes_, 0, 4) == checksum_of(first_row_, bytes_); }

void Block::fail() const {
  std::string key;
  for (const char byte : first_row_)
    fmt::format_to(std::back_inserter(key), "{:02x}", static_cast<unsigned char>(byte));
  throw base::StorageError({base::ErrorKind::Corruption,
                            fmt::format("the block of {} quads that starts with {} is damaged; the store needs "
                                        "'quadrille verify'",
                                        name_of(order_), key),
                            {}});
}

std::string_view Block::column_bytes(size_t position) const {
  const auto start_of = [&](size_t column) -> size_t {
    if (column == 0) return header_bytes;
    return column == 4 ? bytes_.size() : number_at(bytes_, columns_offset + (column - 1) * 2, 2);
  };
  return bytes_.substr(start_of(position), start_of(position + 1) - start_of(position));
}

bool Block::is_grouped(size_t position) const noexcept {
  const auto grouped = grouped_column(order_);
  return grouped && grouped->column == position;
}

bool Block::decode(size_t position, size_t begin, size_t end) {
  const auto values = std::span(columns_[position]).first(rows_);
  std::string_view bytes = column_bytes(position);
  if (!is_grouped(position)) {
    return begin == 0 && end == rows_ ? decode_column(bytes, values)
                                      : decode_rows(bytes, rows_, begin, values.subspan(begin, end - begin));
  }
  const std::string_view keys = column_bytes(grouped_column(order_)->keys);
  return begin == 0 && end == rows_
             ? decode_grouped_column(keys, bytes, values)
             : decode_grouped_rows(keys, bytes, rows_, begin, values.subspan(begin, end - begin));
}

std::span<const uint64_t> Block::cells(size_t position, size_t begin, size_t end) {
  ColumnState& state = states_[position];
  const auto wanted = std::span<const uint64_t>(columns_[position]).subspan(begin, end - begin);
  if (state.begin <= begin && end <= state.end) return wanted;
  if (state.is_constant) {
    std::fill_n(columns_[position].begin(), rows_, state.constant);
    state.end = rows_;
    return wanted;
  }
  size_t from = 0, to = rows_;
  if (end - begin <= few_rows && state.partial_reads++ < partial_reads_max) {
    from = begin;
    to = end;
  } else if (state.end == 0 && begin == 0 && !is_grouped(position)) {
    to = end;
  }
  if (to - from > few_rows && !is_checked_) {
    if (!has_right_checksum()) fail();
    is_checked_ = true;
  }
  if (!decode(position, from, to)) fail();
  state.begin = from;
  state.end = to;
  return wanted;
}

QuadRow Block::row(size_t index) {
  QuadRow row;
  for (size_t position = 0; position < 4; ++position) row[position] = TermId(cells(position, index, index + 1)[0]);
  return row;
}

void Block::append_rows(std::vector<QuadRow>& out) {
  const size_t start = out.size();
  out.resize(start + rows_);
  for (size_t position = 0; position < 4; ++position) {
    const auto values = cells(position, 0, rows_);
    for (size_t i = 0; i < rows_; ++i) out[start + i][position] = TermId(values[i]);
  }
}

// In a column that ascends as a whole. False: it is better decoded.
bool Block::find(size_t position, uint64_t value) {
  ColumnState& state = states_[position];
  if (state.has_found && state.found_value == value) return true;
  if (state.end - state.begin == rows_ || state.partial_reads++ >= partial_reads_max) return false;
  const auto found = find_in_ascending(column_bytes(position), rows_, value);
  if (!found) return false;
  state.has_found = true;
  state.found_value = value;
  state.found_begin = found->begin;
  state.found_end = found->end;
  if (found->begin < found->end) {
    const auto column = columns_[position].begin();
    std::fill(column + static_cast<ptrdiff_t>(found->begin), column + static_cast<ptrdiff_t>(found->end), value);
    state.begin = found->begin;
    state.end = found->end;
  }
  return true;
}

std::pair<size_t, size_t> Block::bounds(std::span<const TermId> key, size_t from) {
  size_t low = from, high = rows_;
  bool ascends = true;  // the column does as a whole: those before it are constant
  for (size_t position = 0; position < key.size() && low < high; ++position) {
    const uint64_t wanted = key[position].bits();
    const ColumnState& state = states_[position];
    if (state.is_constant) {
      if (wanted < state.constant) return {low, low};
      if (wanted > state.constant) return {high, high};
      continue;
    }
    if (ascends && !is_grouped(position) && find(position, wanted)) {
      low = std::max(low, state.found_begin);
      high = std::max(low, state.found_end);
    } else {
      const auto values = cells(position, low, high);
      const auto first = std::lower_bound(values.begin(), values.end(), wanted);
      const auto last = std::upper_bound(first, values.end(), wanted);
      high = low + static_cast<size_t>(last - values.begin());
      low += static_cast<size_t>(first - values.begin());
    }
    ascends = false;
  }
  return {low, high};
}

}  // namespace quadrille::store
