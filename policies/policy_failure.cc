#include "policies/policy_failure.h"

#include <algorithm>

#include "engine/model/utf8.h"

namespace quadrille::policies {
namespace {

constexpr size_t bytes_max = 500;

}  // namespace

PolicyOutOfMemory::PolicyOutOfMemory(std::string_view what) noexcept {
  std::copy_n(what.begin(), std::min(what.size(), text_.size() - 1), text_.begin());
}

std::string one_line(std::string_view text) {
  std::string line;
  while (!text.empty() && line.size() < bytes_max) {
    const model::DecodedCodePoint next = model::decode_utf8(text);
    const size_t size = std::max<size_t>(next.size, 1);
    if (next.size == 0) {
      line += '?';
    } else if (next.value < 0x20 || next.value == 0x7F) {
      line += ' ';
    } else {
      line += text.substr(0, size);
    }
    text.remove_prefix(size);
  }
  return line;
}

}  // namespace quadrille::policies
