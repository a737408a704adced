#include "sync/set_sketch.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>

#include "engine/store/leb128.h"

namespace quadrille::sync {
namespace {

uint64_t mixed(uint64_t value) noexcept {  // the finalizer of MurmurHash3
  value ^= value >> 33;
  value *= 0xff51afd7ed558ccdU;
  value ^= value >> 33;
  value *= 0xc4ceb9fe1a85ec53U;
  return value ^ value >> 33;
}

uint32_t check_of(uint64_t item) noexcept { return static_cast<uint32_t>(mixed(item ^ 0x9e3779b97f4a7c15U) >> 32); }

// Which symbols an item is in: the first one, then ever fewer, the i-th with probability 1 / (1 + i / 2). Section 4.2
// of the paper: from i the next one is found in one step, by inverting the distribution of the gap.
class Places {
 public:
  explicit Places(uint64_t item) noexcept : random_(item) {}
  uint64_t place() const noexcept { return place_; }
  void go_on() noexcept {
    random_ += 0x9e3779b97f4a7c15U;
    const double share = static_cast<double>(mixed(random_) >> 11) * 0x1p-53;  // of [0, 1)
    const double at = static_cast<double>(place_);
    const double gap = std::ceil((at + 1.5) * (1.0 / std::sqrt(1.0 - share) - 1.0));
    constexpr double farthest = 0x1p40;
    place_ = gap < farthest ? place_ + std::max<uint64_t>(1, static_cast<uint64_t>(gap)) : ~uint64_t{0} >> 1;
  }

 private:
  uint64_t random_;
  uint64_t place_ = 0;
};

void change_symbol(SketchSymbol& symbol, uint64_t item, uint32_t check, int64_t by) noexcept {
  symbol.items ^= item;
  symbol.checks ^= check;
  symbol.count += by;
}

bool is_one_item(const SketchSymbol& symbol) noexcept {
  return (symbol.count == 1 || symbol.count == -1) && symbol.checks == check_of(symbol.items);
}

}  // namespace

void SetSketch::change(uint64_t item, int64_t by) {
  const uint32_t check = check_of(item);
  const uint64_t end = first_ + symbols_.size();
  for (Places places(item); places.place() < end; places.go_on()) {
    if (places.place() >= first_) change_symbol(symbols_[places.place() - first_], item, check, by);
  }
}

std::optional<SetDifference> decode_difference(std::span<const SketchSymbol> left,
                                               std::span<const SketchSymbol> right) {
  std::vector<SketchSymbol> symbols(std::min(left.size(), right.size()));
  std::deque<size_t> to_look_at;
  for (size_t i = 0; i < symbols.size(); ++i) {
    symbols[i] = {left[i].items ^ right[i].items, left[i].checks ^ right[i].checks, left[i].count - right[i].count};
    if (is_one_item(symbols[i])) to_look_at.push_back(i);
  }
  SetDifference difference;
  // Each item that is read takes at least one symbol with it: more would come from a forger only.
  for (size_t found = 0; !to_look_at.empty() && found <= symbols.size(); to_look_at.pop_front()) {
    const SketchSymbol symbol = symbols[to_look_at.front()];
    if (!is_one_item(symbol)) continue;  // taken out meanwhile
    ++found;
    (symbol.count == 1 ? difference.only_left : difference.only_right).push_back(symbol.items);
    for (Places places(symbol.items); places.place() < symbols.size(); places.go_on()) {
      SketchSymbol& other = symbols[places.place()];
      change_symbol(other, symbol.items, symbol.checks, -symbol.count);
      if (is_one_item(other)) to_look_at.push_back(places.place());
    }
  }
  const auto is_empty = [](const SketchSymbol& symbol) { return symbol == SketchSymbol(); };
  if (symbols.empty() || !std::all_of(symbols.begin(), symbols.end(), is_empty)) return std::nullopt;
  std::sort(difference.only_left.begin(), difference.only_left.end());
  std::sort(difference.only_right.begin(), difference.only_right.end());
  return difference;
}

namespace {

// How many items of a set are in a symbol, on average.
int64_t usual_count(uint64_t place, uint64_t set_size) noexcept {
  return static_cast<int64_t>(static_cast<double>(set_size) / (1.0 + 0.5 * static_cast<double>(place)));
}

uint64_t zigzag(int64_t value) noexcept {
  return static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63);
}
int64_t from_zigzag(uint64_t value) noexcept {
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

template <class Number>
void append_number(std::string& out, Number number) {
  for (size_t i = 0; i < sizeof number; ++i) out.push_back(static_cast<char>(number >> (8 * i)));
}

template <class Number>
bool take_fixed(std::string_view& bytes, Number& number) {
  if (bytes.size() < sizeof number) return false;
  number = 0;
  for (size_t i = 0; i < sizeof number; ++i) number |= Number{static_cast<uint8_t>(bytes[i])} << (8 * i);
  bytes.remove_prefix(sizeof number);
  return true;
}

}  // namespace

std::string encode_symbols(std::span<const SketchSymbol> symbols, uint64_t first, uint64_t set_size) {
  std::string bytes;
  bytes.reserve(symbols.size() * 14);
  for (const SketchSymbol& symbol : symbols) {
    append_number(bytes, symbol.items);
    append_number(bytes, symbol.checks);
    store::put_number(zigzag(symbol.count - usual_count(first++, set_size)), bytes);
  }
  return bytes;
}

std::optional<std::vector<SketchSymbol>> decode_symbols(std::string_view bytes, uint64_t first, size_t count,
                                                        uint64_t set_size) {
  if (bytes.size() < count * 13) return std::nullopt;  // before anything is made room for
  std::vector<SketchSymbol> symbols(count);
  for (SketchSymbol& symbol : symbols) {
    uint64_t off_usual = 0;
    const bool is_read =
        take_fixed(bytes, symbol.items) && take_fixed(bytes, symbol.checks) && store::take_number(bytes, off_usual);
    if (!is_read) return std::nullopt;
    symbol.count = from_zigzag(off_usual) + usual_count(first++, set_size);
  }
  if (!bytes.empty()) return std::nullopt;
  return symbols;
}

// Of d items in n classes, n * (1 - 1/n)^d classes get none.
std::optional<uint64_t> DifferenceEstimator::estimate(std::span<const uint8_t> left, std::span<const uint8_t> right) {
  constexpr size_t equal_least = 16;
  size_t equal = 0;
  for (size_t i = 0; i < classes; ++i) equal += left[i] == right[i] ? 1 : 0;
  if (equal < equal_least) return std::nullopt;
  const double n = classes;
  return static_cast<uint64_t>(std::ceil(std::log(static_cast<double>(equal) / n) / std::log1p(-1.0 / n)));
}

}  // namespace quadrille::sync
