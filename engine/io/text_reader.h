// A window that slides over a stream of UTF-8: what the parsers read through.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/io/input_stream.h"
#include "engine/model/utf8.h"

namespace quadrille::io {

inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
inline constexpr std::string_view not_utf8 = "found bytes that are not UTF-8, expected UTF-8";

// Every byte that can be seen is part of valid UTF-8, and the window never ends inside a code point.
// When the input fails or is not UTF-8, the text seems to end there, and failure() says why: whoever meets the end of
// the text asks it first. A byte order mark at the very start is passed over.
class TextReader {
 public:
  static constexpr int end_of_text = -1;

  // Requires window_size_max >= 64 KiB or so; the window grows beyond its first size only for next_line().
  TextReader(InputStream& input, size_t window_size_max);

  // The next byte, or the one `ahead` bytes behind it, or end_of_text.
  int peek() { return at_ != end_ || refill() ? static_cast<unsigned char>(buffer_[at_]) : end_of_text; }
  int peek(size_t ahead) {
    while (end_ - at_ <= ahead) {
      if (!refill()) return end_of_text;
    }
    return static_cast<unsigned char>(buffer_[at_ + ahead]);
  }
  // The code point `ahead` bytes behind the next byte; size 0 at the end of the text.
  model::DecodedCodePoint peek_code_point(size_t ahead = 0) {
    return peek(ahead) == end_of_text
               ? model::DecodedCodePoint{}
               : model::decode_utf8(std::string_view(buffer_.data() + at_ + ahead, end_ - at_ - ahead));
  }
  // Up to `count` bytes from here, fewer only at the end of the text. Valid until the next call that may read.
  std::string_view look(size_t count) {
    while (end_ - at_ < count && refill()) {
    }
    return {buffer_.data() + at_, std::min(count, end_ - at_)};
  }
  // What is in the window, at least a byte unless the text ends. Valid until the next call that may read.
  std::string_view window() {
    return look(1).empty() ? std::string_view() : std::string_view(buffer_.data() + at_, end_ - at_);
  }
  // Requires that the bytes have been seen.
  void advance(size_t count = 1) noexcept { at_ += count; }

  // The bytes up to the next line feed (left out), or to the end of the text; passes over them. Nothing at the end, or
  // when the text fails inside the line. Valid until the next call.
  std::optional<std::string_view> next_line();

  const std::optional<base::Error>& failure() const noexcept { return failure_; }
  // Of the next byte.
  base::Position position();
  uint64_t line() {
    count_lines();
    return line_;
  }

 private:
  // Reads more behind the window, and forgets what lies before it. False at the end of the text.
  bool refill();
  bool read_more();
  void make_room();
  void count_lines();
  void fail(base::ErrorKind kind, std::string message);

  InputStream& input_;
  size_t window_size_max_;
  std::vector<char> buffer_;
  size_t at_ = 0;       // the next byte
  size_t end_ = 0;      // behind the last whole code point
  size_t raw_end_ = 0;  // behind the last byte read
  bool ended_ = false;
  bool started_ = false;
  std::optional<base::Error> failure_;

  uint64_t line_ = 1;
  size_t counted_to_ = 0;       // line feeds before it are counted
  size_t line_start_ = 0;       // where the current line begins in the buffer
  uint64_t column_before_ = 0;  // code points of the current line that left the buffer
};

}  // namespace quadrille::io
