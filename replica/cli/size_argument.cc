#include "replica/cli/size_argument.h"

#include <charconv>

#include "engine/io/media_type.h"

namespace quadrille::cli {

std::optional<uint64_t> parse_size(std::string_view text) noexcept {
  uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end == text.data()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  if (text.starts_with(' ')) text.remove_prefix(1);
  int shift = 0;
  if (!text.empty()) {
    constexpr std::string_view units = "bkmgt";
    const size_t unit = units.find(io::ascii_lower(text.front()));
    if (unit == std::string_view::npos) return std::nullopt;
    shift = static_cast<int>(unit) * 10;
    text.remove_prefix(1);
    if (!text.empty() && !io::equals_ignoring_case(text, "b") && !io::equals_ignoring_case(text, "ib")) {
      return std::nullopt;
    }
  }
  if (number > UINT64_MAX >> shift) return std::nullopt;
  return number << shift;
}

}  // namespace quadrille::cli
