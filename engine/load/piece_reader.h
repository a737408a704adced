// Cuts N-Triples and N-Quads into pieces of whole lines, so that several can be parsed at the same time.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "engine/base/result.h"
#include "engine/io/input_stream.h"

namespace quadrille::load {

// Text with an owner.
struct TextPiece {
  std::unique_ptr<char[]> bytes;
  size_t size = 0;
  std::string_view text() const noexcept { return {bytes.get(), size}; }
};

// The pieces of one stream, in order. One thread at a time.
class PieceReader {
 public:
  // Pieces have up to `piece_size` bytes, and more only for a line that is longer; one longer than `line_size_max` is
  // refused. The stream must outlive the reader.
  PieceReader(io::InputStream& input, size_t piece_size, size_t line_size_max)
      : input_(input), piece_size_(piece_size), line_size_max_(line_size_max) {}

  // Ends behind a line feed, or at the end of the input; nothing at the end. Where the input fails, the whole lines
  // before that are given first, then the error, and then nothing more. An error with a position is at line 1 of what
  // would have come.
  base::Result<std::optional<TextPiece>> next();

 private:
  void grow(TextPiece& piece, size_t filled);
  void read_into(TextPiece& piece);

  io::InputStream& input_;
  size_t piece_size_;
  size_t line_size_max_;
  TextPiece rest_;  // read already: the start of the next line
  bool ended_ = false;
  std::optional<base::Error> failure_;
};

}  // namespace quadrille::load
