#include "engine/sparql/source_text.h"

#include <algorithm>

#include "engine/model/hex.h"
#include "engine/model/utf8.h"

namespace quadrille::sparql {
namespace {

bool may_be_decoded_early(char32_t c) noexcept {
  if (c <= 0x20 || c == 0x7f) return false;
  return std::u32string_view(U"\"'\\<>{}|^`#").find(c) == std::u32string_view::npos;
}

}  // namespace

std::optional<CodepointEscape> read_codepoint_escape(std::string_view text) noexcept {
  if (text.size() < 2 || text[0] != '\\' || (text[1] != 'u' && text[1] != 'U')) return std::nullopt;
  const size_t digits = text[1] == 'u' ? 4 : 8;
  if (text.size() < 2 + digits) return std::nullopt;
  char32_t value = 0;
  for (size_t i = 2; i < 2 + digits; ++i) {
    const int digit = model::hex_digit(text[i]);
    if (digit < 0) return std::nullopt;
    value = value * 16 + static_cast<char32_t>(digit);
  }
  if (!model::is_scalar_value(value)) return std::nullopt;
  return CodepointEscape{value, 2 + digits};
}

SourceText::SourceText(std::string_view original) : original_(original), text_(original) {
  const size_t valid = model::valid_utf8_prefix(original);
  if (valid != original.size()) {
    invalid_at_ = valid;
  } else if (original.find("\\u") != std::string_view::npos || original.find("\\U") != std::string_view::npos) {
    decode_escapes();
  }
}

void SourceText::decode_escapes() {
  size_t at = 0;
  while (at < original_.size()) {
    const size_t backslash = original_.find('\\', at);
    if (backslash == std::string_view::npos) break;
    decoded_.append(original_.substr(at, backslash - at));
    const auto escape = read_codepoint_escape(original_.substr(backslash));
    if (escape && may_be_decoded_early(escape->value)) {
      model::append_utf8(decoded_, escape->value);
      at = backslash + escape->size;
      anchors_.push_back({decoded_.size(), at});
    } else {
      decoded_.append(original_.substr(backslash, 2));  // `\\u0041` is a backslash and five letters
      at = std::min(backslash + 2, original_.size());
    }
  }
  if (at < original_.size()) decoded_.append(original_.substr(at));
  text_ = decoded_;
}

base::Position SourceText::position_of(size_t offset) const {
  auto behind = std::upper_bound(anchors_.begin(), anchors_.end(), offset,
                                 [](size_t value, const Anchor& anchor) { return value < anchor.decoded; });
  if (behind != anchors_.begin()) {
    --behind;
    offset = offset - behind->decoded + behind->original;
  }
  offset = std::min(offset, original_.size());
  base::Position position{1, 1};
  size_t line_start = 0;
  for (size_t i = 0; i < offset; ++i) {
    const char c = original_[i];
    if (c != '\n' && c != '\r') continue;
    if (c == '\r' && i + 1 < original_.size() && original_[i + 1] == '\n') continue;
    ++position.line;
    line_start = i + 1;
  }
  position.column = 1 + model::count_code_points(original_.substr(line_start, offset - line_start));
  return position;
}

}  // namespace quadrille::sparql
