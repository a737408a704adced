#include "policies/lua_source.h"

#include <fmt/format.h>

#include <algorithm>

namespace quadrille::policies {
namespace {

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Lua 5.4 Reference Manual, section 3.1: as much of its lexical conventions as tells code from text.
class LuaText {
 public:
  explicit LuaText(std::string_view source) : source_(source) {}

  base::Result<std::string> prepare() {
    out_ = fmt::format("local {} <const> = ...; ", length_name);
    while (at_ < source_.size()) {
      const char c = source_[at_];
      if (c == '^') return invalid("the operator ^ differs between processors; expected multiplications");
      if (c == '#') {
        out_ += fmt::format("{}^", length_name);
        ++at_;
      } else if (c == '"' || c == '\'') {
        copy(short_string_size());
      } else if (c == '[' && long_bracket_level(at_) >= 0) {
        copy(long_bracket_size(at_));
      } else if (source_.substr(at_).starts_with("--")) {
        copy(comment_size());
      } else if (is_name_character(c)) {
        if (const size_t size = word_size(); source_.substr(at_, size) == length_name) {
          return invalid(fmt::format("the name {} is taken; expected another", length_name));
        } else {
          copy(size);
        }
      } else {
        copy(1);
      }
    }
    return std::move(out_);
  }

 private:
  void copy(size_t size) {
    out_ += source_.substr(at_, size);
    at_ += size;
  }

  base::Error invalid(std::string_view what) const {
    const auto line = 1 + std::count(source_.begin(), source_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
    return {base::ErrorKind::InvalidInput, fmt::format("line {}: {}", line, what), {}};
  }

  size_t word_size() const {
    size_t end = at_;
    while (end < source_.size() && is_name_character(source_[end])) ++end;
    return end - at_;
  }

  size_t short_string_size() const {
    size_t end = at_ + 1;
    while (end < source_.size() && source_[end] != source_[at_]) end += source_[end] == '\\' ? 2 : 1;
    return std::min(end + 1, source_.size()) - at_;
  }

  // The number of '=' in "[==[" at `from`; -1 where there is no such thing.
  int long_bracket_level(size_t from) const {
    size_t end = from + 1;
    while (end < source_.size() && source_[end] == '=') ++end;
    return end < source_.size() && source_[end] == '[' ? static_cast<int>(end - from - 1) : -1;
  }

  size_t long_bracket_size(size_t from) const {
    const auto level = static_cast<size_t>(long_bracket_level(from));
    const std::string closing = "]" + std::string(level, '=') + "]";
    const size_t end = source_.find(closing, from + level + 2);
    return (end == std::string_view::npos ? source_.size() : end + closing.size()) - from;
  }

  size_t comment_size() const {
    const size_t text = at_ + 2;
    if (text < source_.size() && source_[text] == '[' && long_bracket_level(text) >= 0) {
      return 2 + long_bracket_size(text);
    }
    return std::min(source_.find('\n', at_), source_.size()) - at_;
  }

  std::string_view source_;
  size_t at_ = 0;
  std::string out_;
};

}  // namespace

base::Result<std::string> prepare_lua(std::string_view source) { return LuaText(source).prepare(); }

}  // namespace quadrille::policies
