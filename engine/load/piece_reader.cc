#include "engine/load/piece_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace quadrille::load {
namespace {

TextPiece make_piece(size_t size) { return {std::make_unique_for_overwrite<char[]>(size), size}; }

void copy(const char* from, size_t size, char* to) {
  if (size != 0) std::memcpy(to, from, size);
}

}  // namespace

// A longer buffer with the same beginning.
void PieceReader::grow(TextPiece& piece, size_t filled) {
  TextPiece longer = make_piece(std::max(piece_size_, filled * 2));
  copy(piece.bytes.get(), filled, longer.bytes.get());
  piece = std::move(longer);
}

// Fills the piece, cuts it behind its last line feed, and keeps what follows for the next one.
void PieceReader::read_into(TextPiece& piece) {
  size_t filled = rest_.size;
  size_t cut = 0;  // behind the last line feed; the rest that was read before has none
  piece = make_piece(std::max(piece_size_, filled * 2));
  copy(rest_.bytes.get(), filled, piece.bytes.get());
  rest_ = {};
  while (!ended_ && (cut == 0 || filled < piece.size)) {
    if (filled > line_size_max_) {
      failure_ = base::Error{base::ErrorKind::ResourceExhausted,
                             fmt::format("found a longer line, expected at most {} bytes", line_size_max_),
                             base::Position{1, 1}};
      ended_ = true;
      break;
    }
    if (filled == piece.size) grow(piece, filled);
    auto count = input_.read({piece.bytes.get() + filled, piece.size - filled});
    if (!count.ok()) {
      failure_ = std::move(count).error();
      ended_ = true;
      break;
    }
    ended_ = *count == 0;
    const auto found = std::string_view(piece.bytes.get() + filled, *count).rfind('\n');
    if (found != std::string_view::npos) cut = filled + found + 1;
    filled += *count;
  }
  piece.size = ended_ && !failure_ ? filled : cut;
  if (ended_) return;
  rest_ = make_piece(filled - cut);
  copy(piece.bytes.get() + cut, filled - cut, rest_.bytes.get());
}

base::Result<std::optional<TextPiece>> PieceReader::next() {
  if (!ended_) {
    TextPiece piece;
    read_into(piece);
    if (piece.size != 0) return std::optional(std::move(piece));
  }
  if (failure_) return *std::exchange(failure_, std::nullopt);
  return std::optional<TextPiece>();
}

}  // namespace quadrille::load
