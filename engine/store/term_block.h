// Blocks of terms: the rows (term_row.h) of consecutive numbers, compressed, in one value of a table.
//
// A block is cut into frames of about 4 KiB of text, each compressed by itself: to read a term, one frame is
// decompressed. Blocks fill whole pages of LMDB, so frames need not. A block never changes once it is written.
//
// Format of a block, little-endian; its key is the number of its first term:
//   4 bytes  checksum: the low half of XXH3 over the rest of the head
//   4        the number of the phrases that it is compressed with (phrases.h), 0 for none
//   2        terms
//   2        frames
//   for each frame: 2 bytes its first term, 2 where its bytes end, 2 the size of its text, 4 their checksum (as above)
//   the frames, one behind the other: zstd, or the text itself where the sizes are equal
// The text of a frame is the length of each row (7 bits a byte, lowest first, the highest bit says that more come), and
// the rows. An empty row is a term that is not here: its number is not in use, or it stands in a table of its own.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/phrases.h"

struct ZSTD_CCtx_s;

namespace quadrille::store {

inline constexpr size_t frame_text_bytes = 4096;            // aimed at
inline constexpr size_t term_block_bytes_max = 65536 - 16;  // 16 pages of LMDB, less its head
inline constexpr size_t block_row_bytes_max = 32 << 10;     // longer rows stand elsewhere
inline bool is_large(std::string_view row) noexcept { return row.size() > block_row_bytes_max; }

struct EncodedTermBlock {
  uint64_t first = 0;  // the number of its first term, counted from the encoder's first
  uint64_t terms = 0;
  std::string value;
};

// Pure computing; belongs to one thread at a time.
class TermBlockEncoder {
 public:
  // `phrases` may be null; they must outlive the encoder.
  explicit TermBlockEncoder(const Phrases* phrases);
  ~TermBlockEncoder();

  // The next term; an empty row for one that is not here. Appends a block to `out` whenever one is full.
  void add(std::string_view row, std::vector<EncodedTermBlock>& out);
  // What is left. The next term is the first of another block.
  void finish(std::vector<EncodedTermBlock>& out);

 private:
  struct Closer {
    void operator()(ZSTD_CCtx_s* context) const noexcept;
  };
  struct Frame {
    uint16_t first_term;
    uint16_t text_bytes;
    std::string bytes;
  };
  void close_frame(std::vector<EncodedTermBlock>& out);
  void close_block(std::vector<EncodedTermBlock>& out);
  std::string compress(const std::string& text);

  const Phrases* phrases_;
  std::unique_ptr<ZSTD_CCtx_s, Closer> context_;
  uint64_t first_ = 0;  // of the block
  std::vector<Frame> frames_;
  size_t frames_bytes_ = 0;
  size_t frames_terms_ = 0;
  std::string lengths_, rows_;  // of the frame that is being filled
  size_t terms_ = 0;            // in it
  bool has_term_ = false;       // in it, not only absent ones
};

// A block where it lies: valid as long as its bytes.
class TermBlock {
 public:
  // Nothing for a damaged head.
  static std::optional<TermBlock> read(std::string_view value) noexcept;

  struct Frame {
    size_t first_term;
    size_t terms;
    size_t text_bytes;
    uint32_t checksum;
    std::string_view bytes;

    bool is_sound() const noexcept;
    bool is_plain() const noexcept { return bytes.size() == text_bytes; }
  };
  size_t terms() const noexcept { return terms_; }
  uint32_t phrases() const noexcept { return phrases_; }
  size_t frames() const noexcept { return frames_; }
  Frame frame(size_t index) const noexcept;
  // The frame that has this term. Requires term < terms().
  size_t frame_of(size_t term) const noexcept;

 private:
  std::string_view value_;
  uint32_t phrases_ = 0;
  size_t terms_ = 0;
  size_t frames_ = 0;
};

// A frame in memory, with the numbers that its terms have.
class TermFrame {
 public:
  // Of a frame's text. Null where that is not one of `terms` rows.
  static std::shared_ptr<const TermFrame> decode(uint64_t first, size_t terms, std::string_view text);

  uint64_t first() const noexcept { return first_; }
  size_t terms() const noexcept { return terms_; }
  // Empty for a term that is not here.
  std::string_view row(size_t term) const noexcept {
    const size_t start = term == 0 ? terms_ * sizeof(uint32_t) : end_of(term - 1);
    return {bytes_.get() + start, end_of(term) - start};
  }
  size_t bytes() const noexcept { return sizeof(*this) + size_; }

 private:
  uint32_t end_of(size_t term) const noexcept {
    uint32_t end;
    std::memcpy(&end, bytes_.get() + term * sizeof end, sizeof end);
    return end;
  }

  uint64_t first_ = 0;
  size_t terms_ = 0;
  size_t size_ = 0;
  std::unique_ptr<char[]> bytes_;  // where each row ends, and the rows: together, as they are read together
};

}  // namespace quadrille::store
