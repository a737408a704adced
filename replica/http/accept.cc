#include "replica/http/accept.h"

#include <algorithm>
#include <vector>

#include "engine/io/media_type.h"

namespace quadrille::http {
namespace {

struct Range {
  std::string_view type;  // "text/turtle", "text/*", "*/*"
  int quality = 1000;     // thousandths
  int specificity() const noexcept { return type == "*/*" ? 0 : type.ends_with("/*") ? 1 : 2; }
  bool matches(std::string_view media_type) const noexcept {
    if (specificity() == 0) return true;
    if (specificity() == 2) return io::equals_ignoring_case(type, media_type);
    const auto stem = type.substr(0, type.size() - 1);
    return media_type.size() > stem.size() && io::equals_ignoring_case(stem, media_type.substr(0, stem.size()));
  }
};

std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::string_view take_until(std::string_view& text, char separator) noexcept {
  const auto end = std::min(text.find(separator), text.size());
  const auto part = trimmed(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

// "0.5" -> 500; -1 if it is none. At most three decimals.
int read_quality(std::string_view text) noexcept {
  if (text.empty() || (text[0] != '0' && text[0] != '1') || text.size() > 5) return -1;
  int quality = (text[0] - '0') * 1000;
  if (text.size() > 1 && text[1] != '.') return -1;
  int unit = 100;
  for (const char c : text.substr(std::min<size_t>(2, text.size()))) {
    if (c < '0' || c > '9') return -1;
    quality += (c - '0') * unit;
    unit /= 10;
  }
  return quality <= 1000 ? quality : -1;
}

std::vector<Range> parse_accept(std::string_view accept) {
  std::vector<Range> ranges;
  while (!accept.empty()) {
    auto part = take_until(accept, ',');
    Range range{take_until(part, ';')};
    while (!part.empty()) {
      const auto parameter = take_until(part, ';');
      if (parameter.starts_with("q=") || parameter.starts_with("Q=")) range.quality = read_quality(parameter.substr(2));
    }
    if (range.type == "*") range.type = "*/*";  // of media types, sent by old clients
    if (!range.type.empty() && range.quality >= 0) ranges.push_back(range);
  }
  return ranges;
}

int quality_of(std::string_view media_type, const std::vector<Range>& ranges) {
  const Range* best = nullptr;
  for (const auto& range : ranges) {
    if (range.matches(media_type) && (!best || range.specificity() > best->specificity())) best = &range;
  }
  return best ? best->quality : 0;
}

std::optional<size_t> best_of(const std::vector<Range>& ranges, std::span<const std::string_view> offered) {
  std::optional<size_t> chosen;
  int best = 0;
  for (size_t i = 0; i < offered.size(); ++i) {
    const int quality = quality_of(io::without_parameters(offered[i]), ranges);
    if (quality > best) {
      best = quality;
      chosen = i;
    }
  }
  return chosen;
}

}  // namespace

std::optional<size_t> choose_media_type(std::string_view accept, std::span<const std::string_view> offered) {
  if (trimmed(accept).empty()) return offered.empty() ? std::nullopt : std::optional<size_t>(0);
  return best_of(parse_accept(accept), offered);
}

std::optional<size_t> choose_token(std::string_view accept, std::span<const std::string_view> offered) {
  return best_of(parse_accept(accept), offered);
}

}  // namespace quadrille::http
