#include "engine/store/term_texts.h"

#include <xxhash.h>
#include <zstd.h>

#include <cstring>
#include <string>
#include <utility>

#include "engine/store/damage.h"

namespace quadrille::store {
namespace {

constexpr size_t piece_head_bytes = 8;

uint32_t checksum_of(std::string_view bytes) noexcept {
  return static_cast<uint32_t>(XXH3_64bits(bytes.data(), bytes.size()));
}

uint32_t number_at(std::string_view bytes, size_t offset) noexcept {
  uint32_t number;
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

bool has(const TermFrame& frame, uint64_t number) noexcept {
  return number >= frame.first() && number - frame.first() < frame.terms();
}

}  // namespace

std::string encode_large_piece(std::string_view text) {
  QUADRILLE_CHECK(text.size() <= large_piece_bytes, "a long row is cut into pieces");
  std::string piece(piece_head_bytes + ZSTD_compressBound(text.size()), '\0');
  char* const bytes = piece.data() + piece_head_bytes;
  size_t size = ZSTD_compress(bytes, piece.size() - piece_head_bytes, text.data(), text.size(), term_compression_level);
  if (ZSTD_isError(size) || size >= text.size()) {
    size = text.size();
    std::memcpy(bytes, text.data(), size);
  }
  piece.resize(piece_head_bytes + size);
  const auto text_size = static_cast<uint32_t>(text.size());
  std::memcpy(piece.data() + 4, &text_size, sizeof text_size);
  const uint32_t checksum = checksum_of(std::string_view(piece).substr(4));
  std::memcpy(piece.data(), &checksum, sizeof checksum);
  return piece;
}

std::optional<StoredRow> TermTexts::find(uint64_t number) {
  if (const auto frame = find_frame(number)) {
    const std::string_view row = frame->row(number - frame->first());
    if (!row.empty()) return StoredRow{row, frame};
  }
  if (const auto row = transaction_.get(tables_.new_terms, NumberKey(number).view())) return StoredRow{*row, nullptr};
  return find_large(number);
}

std::shared_ptr<const TermFrame> TermTexts::find_frame(uint64_t number) {
  if (last_ && has(*last_, number)) return last_;
  Cursor cursor(transaction_, tables_.blocks);
  if (!cursor.seek_before(NumberKey(number + 1).view())) return nullptr;
  const auto block = TermBlock::read(cursor.value());
  if (!block) fail_damaged_row(transaction_, tables_.blocks, cursor.key());
  const uint64_t place = number - big_endian_at(cursor.key(), 0);
  if (place >= block->terms()) return nullptr;
  last_ = read_frame(cursor, *block, block->frame_of(place));
  return last_;
}

std::shared_ptr<const TermFrame> TermTexts::read_frame(const Cursor& cursor, const TermBlock& block, size_t index) {
  const TermBlock::Frame frame = block.frame(index);
  const uint64_t first = big_endian_at(cursor.key(), 0) + frame.first_term;
  if (auto kept = cache_.find(first); kept && kept->terms() == frame.terms) return kept;
  const auto phrases = phrases_of(block.phrases());
  auto text = cache_.decompress(frame, phrases.get());
  auto decoded = text ? TermFrame::decode(first, frame.terms, *text) : nullptr;
  if (!decoded) fail_damaged_row(transaction_, tables_.blocks, cursor.key());
  cache_.keep(decoded);
  return decoded;
}

std::shared_ptr<const Phrases> TermTexts::phrases_of(uint32_t number) const {
  if (number == 0) return nullptr;
  if (auto kept = cache_.find_phrases(number)) return kept;
  Cursor cursor(transaction_, tables_.phrases);
  for (bool at_row = cursor.first(); at_row; at_row = cursor.next()) {
    if (PieceKey::piece_of(cursor.key()) == number) return read_phrases(cursor);
  }
  fail_damaged_row(transaction_, tables_.phrases, NumberKey(number).view());
}

std::shared_ptr<const Phrases> TermTexts::newest_phrases() const {
  Cursor cursor(transaction_, tables_.phrases);
  if (!cursor.last()) return nullptr;
  if (auto kept = cache_.find_phrases(PieceKey::piece_of(cursor.key()))) return kept;
  return read_phrases(cursor);
}

std::shared_ptr<const Phrases> TermTexts::read_phrases(const Cursor& cursor) const {
  if (Phrases::number_of(cursor.value()) != PieceKey::piece_of(cursor.key())) {
    fail_damaged_row(transaction_, tables_.phrases, cursor.key());
  }
  auto phrases = std::make_shared<const Phrases>(std::string(cursor.value()));
  cache_.keep(phrases);
  return phrases;
}

std::optional<StoredRow> TermTexts::find_large(uint64_t number) const {
  Cursor cursor(transaction_, tables_.large);
  const NumberKey key(number);
  auto row = std::make_shared<std::string>();
  uint32_t pieces = 0;
  for (bool at_row = cursor.seek(key.view()); at_row && cursor.key().starts_with(key.view()); at_row = cursor.next()) {
    const std::string_view piece = cursor.value();
    if (PieceKey::piece_of(cursor.key()) != pieces++ || piece.size() < piece_head_bytes ||
        checksum_of(piece.substr(4)) != number_at(piece, 0)) {
      fail_damaged_row(transaction_, tables_.large, cursor.key());
    }
    const size_t size = number_at(piece, 4);
    const std::string_view bytes = piece.substr(piece_head_bytes);
    if (bytes.size() == size) {
      *row += bytes;
    } else if (const auto text = cache_.decompress(bytes, size, nullptr)) {
      *row += *text;
    } else {
      fail_damaged_row(transaction_, tables_.large, cursor.key());
    }
  }
  if (row->empty()) return std::nullopt;
  const std::string_view view = *row;
  return StoredRow{view, std::move(row)};
}

}  // namespace quadrille::store
