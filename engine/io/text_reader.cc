#include "engine/io/text_reader.h"

#include <fmt/format.h>

#include <cstring>
#include <tuple>
#include <utility>

namespace quadrille::io {
namespace {

constexpr size_t first_window_size = size_t{256} << 10;
constexpr size_t code_point_size_max = 4;

}  // namespace

TextReader::TextReader(InputStream& input, size_t window_size_max)
    : input_(input), window_size_max_(std::max(window_size_max, first_window_size)), buffer_(first_window_size) {}

std::optional<std::string_view> TextReader::next_line() {
  size_t searched = 0;
  for (;;) {
    const size_t available = end_ - at_;
    const void* found =
        available == searched ? nullptr : std::memchr(buffer_.data() + at_ + searched, '\n', available - searched);
    if (found != nullptr) {
      const size_t size = static_cast<size_t>(static_cast<const char*>(found) - buffer_.data()) - at_;
      const std::string_view line(buffer_.data() + at_, size);
      at_ += size + 1;
      return line;
    }
    searched = available;
    if (refill()) continue;
    if (failure_ || at_ == end_) return std::nullopt;
    const std::string_view line(buffer_.data() + at_, end_ - at_);
    at_ = end_;
    return line;
  }
}

base::Position TextReader::position() {
  count_lines();
  return {line_, column_before_ + model::count_code_points({buffer_.data() + line_start_, at_ - line_start_}) + 1};
}

void TextReader::count_lines() {
  while (counted_to_ < at_) {
    const void* found = std::memchr(buffer_.data() + counted_to_, '\n', at_ - counted_to_);
    if (found == nullptr) break;
    counted_to_ = line_start_ = static_cast<size_t>(static_cast<const char*>(found) - buffer_.data()) + 1;
    column_before_ = 0;
    ++line_;
  }
  counted_to_ = at_;
}

bool TextReader::refill() {
  const size_t seen = end_ - at_;
  while (end_ - at_ == seen) {
    if (failure_ || ended_) return false;
    if (raw_end_ - end_ >= code_point_size_max) {
      fail(base::ErrorKind::InvalidInput, std::string(not_utf8));
      return false;
    }
    if (!read_more()) return false;
  }
  return true;
}

// Reads once, and checks what it has read.
bool TextReader::read_more() {
  make_room();
  if (failure_) return false;
  auto count = input_.read(std::span<char>(buffer_).subspan(raw_end_));
  if (!count) {
    failure_ = std::move(count).error();
    return false;
  }
  raw_end_ += *count;
  if (*count == 0) {
    ended_ = true;
    if (raw_end_ != end_) fail(base::ErrorKind::InvalidInput, std::string(not_utf8));
    return false;
  }
  end_ += model::valid_utf8_prefix({buffer_.data() + end_, raw_end_ - end_});
  if (!started_ && end_ != 0) {
    started_ = true;
    if (std::string_view(buffer_.data(), end_).starts_with(byte_order_mark)) {
      at_ = counted_to_ = line_start_ = byte_order_mark.size();
    }
  }
  return true;
}

// Moves the window to the front of the buffer, which grows if the window is all of it.
void TextReader::make_room() {
  count_lines();
  column_before_ += model::count_code_points({buffer_.data() + line_start_, at_ - line_start_});
  if (at_ != 0) std::memmove(buffer_.data(), buffer_.data() + at_, raw_end_ - at_);
  end_ -= at_;
  raw_end_ -= at_;
  at_ = counted_to_ = line_start_ = 0;
  if (raw_end_ < buffer_.size()) return;
  if (buffer_.size() >= window_size_max_) {
    fail(base::ErrorKind::ResourceExhausted,
         fmt::format("found a longer line, expected at most {} bytes", window_size_max_));
    return;
  }
  buffer_.resize(std::min(buffer_.size() * 2, window_size_max_));
}

// The trouble is right behind what can be seen.
void TextReader::fail(base::ErrorKind kind, std::string message) {
  const auto counters = std::tuple(at_, line_, counted_to_, line_start_, column_before_);
  at_ = end_;
  failure_ = base::Error{kind, std::move(message), position()};
  std::tie(at_, line_, counted_to_, line_start_, column_before_) = counters;
}

}  // namespace quadrille::io
