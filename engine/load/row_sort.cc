#include "engine/load/row_sort.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace quadrille::load {
namespace {

using store::QuadRow;

// Below this comparing is cheaper than counting.
constexpr size_t few_rows = 64;
constexpr size_t row_bytes = 32;

constexpr size_t byte_of(const QuadRow& row, size_t place) noexcept {
  return row[place / 8].bits() >> (56 - place % 8 * 8) & 0xff;
}

class ByteSort {
 public:
  ByteSort(std::span<QuadRow> rows, std::span<QuadRow> room) {
    for (size_t column = 0; column < 4; ++column) {
      uint64_t differing = 0;
      for (const QuadRow& row : rows) differing |= row[column].bits() ^ rows.front()[column].bits();
      for (size_t place = column * 8; place < column * 8 + 8; ++place) {
        if ((differing >> (56 - place % 8 * 8) & 0xff) != 0) places_[place_count_++] = place;
      }
    }
    sort(rows, room, 0);
  }

 private:
  // `rows` agree in all bytes before the one that is `depth` in places_.
  void sort(std::span<QuadRow> rows, std::span<QuadRow> room, size_t depth) {
    for (; depth < place_count_; ++depth) {
      if (rows.size() <= few_rows) return std::sort(rows.begin(), rows.end(), is_before);
      const size_t place = places_[depth];
      std::array<uint32_t, 257> starts{};
      for (const QuadRow& row : rows) ++starts[byte_of(row, place) + 1];
      if (starts[byte_of(rows.front(), place) + 1] == rows.size()) continue;  // all the same
      for (size_t byte = 1; byte < starts.size(); ++byte) starts[byte] += starts[byte - 1];
      std::array<uint32_t, 256> next;
      std::copy_n(starts.begin(), next.size(), next.begin());
      for (const QuadRow& row : rows) room[next[byte_of(row, place)]++] = row;
      std::copy(room.begin(), room.begin() + static_cast<ptrdiff_t>(rows.size()), rows.begin());
      for (size_t byte = 0; byte < next.size(); ++byte) {
        const size_t size = starts[byte + 1] - starts[byte];
        if (size > 1) sort(rows.subspan(starts[byte], size), room, depth + 1);
      }
      return;
    }
  }

  std::array<size_t, row_bytes> places_{};  // of bytes in which rows differ
  size_t place_count_ = 0;
};

}  // namespace

void sort_rows(std::vector<QuadRow>& rows) {
  if (std::is_sorted(rows.begin(), rows.end(), is_before)) return;
  std::vector<QuadRow> room(rows.size());
  ByteSort(rows, room);
}

}  // namespace quadrille::load
