#include "engine/store/term_block.h"

#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/result.h"
#include "engine/store/leb128.h"

namespace quadrille::store {
namespace {

constexpr size_t head_bytes = 12;
constexpr size_t frame_head_bytes = 10;
constexpr size_t frame_terms_max = 1024;
constexpr size_t block_terms_max = 0xffff;

template <class Number>
void append_number(std::string& out, Number number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

template <class Number>
Number number_at(std::string_view bytes, size_t offset) noexcept {
  Number number;
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

uint32_t checksum_of(std::string_view bytes) noexcept {
  return static_cast<uint32_t>(XXH3_64bits(bytes.data(), bytes.size()));
}

}  // namespace

void TermBlockEncoder::Closer::operator()(ZSTD_CCtx_s* context) const noexcept { ZSTD_freeCCtx(context); }

TermBlockEncoder::TermBlockEncoder(const Phrases* phrases) : phrases_(phrases), context_(ZSTD_createCCtx()) {
  if (!context_) throw base::StorageError({base::ErrorKind::ResourceExhausted, "no memory to compress terms", {}});
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, term_compression_level);
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_contentSizeFlag, 0);
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_dictIDFlag, 0);
  if (phrases_) ZSTD_CCtx_refCDict(context_.get(), phrases_->for_compression());
}

TermBlockEncoder::~TermBlockEncoder() = default;

void TermBlockEncoder::add(std::string_view row, std::vector<EncodedTermBlock>& out) {
  QUADRILLE_CHECK(!is_large(row), "a row that long has a table of its own");
  const bool is_full = has_term_ && lengths_.size() + rows_.size() + row.size() > frame_text_bytes;
  if (is_full || terms_ == frame_terms_max) close_frame(out);
  if (frames_terms_ + terms_ == block_terms_max) {
    if (terms_ > 0) close_frame(out);
    close_block(out);
  }
  put_number(row.size(), lengths_);
  rows_ += row;
  ++terms_;
  has_term_ |= !row.empty();
}

void TermBlockEncoder::finish(std::vector<EncodedTermBlock>& out) {
  if (terms_ > 0) close_frame(out);
  if (!frames_.empty()) close_block(out);
}

void TermBlockEncoder::close_frame(std::vector<EncodedTermBlock>& out) {
  const std::string text = lengths_ + rows_;
  std::string bytes = compress(text);
  const size_t size = head_bytes + (frames_.size() + 1) * frame_head_bytes + frames_bytes_ + bytes.size();
  if (size > term_block_bytes_max) close_block(out);
  frames_bytes_ += bytes.size();
  frames_.push_back({static_cast<uint16_t>(frames_terms_), static_cast<uint16_t>(text.size()), std::move(bytes)});
  frames_terms_ += terms_;
  lengths_.clear();
  rows_.clear();
  terms_ = 0;
  has_term_ = false;
}

std::string TermBlockEncoder::compress(const std::string& text) {
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  const size_t size = ZSTD_compress2(context_.get(), bytes.data(), bytes.size(), text.data(), text.size());
  QUADRILLE_CHECK(!ZSTD_isError(size), "zstd compresses what fits");
  if (size >= text.size()) return text;
  bytes.resize(size);
  return bytes;
}

void TermBlockEncoder::close_block(std::vector<EncodedTermBlock>& out) {
  const size_t start = head_bytes + frames_.size() * frame_head_bytes;
  std::string value;
  value.reserve(start + frames_bytes_);
  append_number(value, uint32_t{0});
  append_number(value, phrases_ ? phrases_->number() : uint32_t{0});
  append_number(value, static_cast<uint16_t>(frames_terms_));
  append_number(value, static_cast<uint16_t>(frames_.size()));
  size_t end = start;
  for (const Frame& frame : frames_) {
    end += frame.bytes.size();
    append_number(value, frame.first_term);
    append_number(value, static_cast<uint16_t>(end));
    append_number(value, frame.text_bytes);
    append_number(value, checksum_of(frame.bytes));
  }
  const uint32_t checksum = checksum_of(std::string_view(value).substr(sizeof(uint32_t)));
  std::memcpy(value.data(), &checksum, sizeof checksum);
  for (const Frame& frame : frames_) value += frame.bytes;
  out.push_back({first_, frames_terms_, std::move(value)});
  first_ += frames_terms_;
  frames_.clear();
  frames_bytes_ = frames_terms_ = 0;
}

std::optional<TermBlock> TermBlock::read(std::string_view value) noexcept {
  if (value.size() < head_bytes) return std::nullopt;
  TermBlock block;
  block.value_ = value;
  block.phrases_ = number_at<uint32_t>(value, 4);
  block.terms_ = number_at<uint16_t>(value, 8);
  block.frames_ = number_at<uint16_t>(value, 10);
  const size_t head = head_bytes + block.frames_ * frame_head_bytes;
  if (head > value.size() || block.frames_ == 0) return std::nullopt;
  if (checksum_of(value.substr(4, head - 4)) != number_at<uint32_t>(value, 0)) return std::nullopt;
  const auto last_end = number_at<uint16_t>(value, head - frame_head_bytes + 2);
  if (last_end != value.size()) return std::nullopt;
  return block;
}

bool TermBlock::Frame::is_sound() const noexcept { return checksum_of(bytes) == checksum; }

TermBlock::Frame TermBlock::frame(size_t index) const noexcept {
  const size_t head = head_bytes + index * frame_head_bytes;
  const bool is_last = index + 1 == frames_;
  const size_t first = number_at<uint16_t>(value_, head);
  const size_t start =
      index == 0 ? head_bytes + frames_ * frame_head_bytes : number_at<uint16_t>(value_, head - frame_head_bytes + 2);
  const size_t end = number_at<uint16_t>(value_, head + 2);
  const size_t after = is_last ? terms_ : number_at<uint16_t>(value_, head + frame_head_bytes);
  return {first, after - first, number_at<uint16_t>(value_, head + 4), number_at<uint32_t>(value_, head + 6),
          value_.substr(start, end - start)};
}

size_t TermBlock::frame_of(size_t term) const noexcept {
  size_t low = 0, high = frames_;  // the first term of `low` is <= term, that of `high` is not
  while (high - low > 1) {
    const size_t middle = (low + high) / 2;
    if (number_at<uint16_t>(value_, head_bytes + middle * frame_head_bytes) <= term) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

std::shared_ptr<const TermFrame> TermFrame::decode(uint64_t first, size_t terms, std::string_view text) {
  std::string_view rows = text;  // behind the lengths
  size_t rows_bytes = 0;
  std::vector<uint32_t> ends(terms);
  for (uint32_t& end : ends) {
    uint64_t length = 0;
    if (!take_number(rows, length) || length > text.size()) return nullptr;
    rows_bytes += length;
    end = static_cast<uint32_t>(terms * sizeof(uint32_t) + rows_bytes);
  }
  if (rows_bytes != rows.size()) return nullptr;
  auto frame = std::make_shared<TermFrame>();
  frame->first_ = first;
  frame->terms_ = terms;
  frame->size_ = terms * sizeof(uint32_t) + rows_bytes;
  frame->bytes_ = std::make_unique_for_overwrite<char[]>(frame->size_);
  std::memcpy(frame->bytes_.get(), ends.data(), terms * sizeof(uint32_t));
  std::memcpy(frame->bytes_.get() + terms * sizeof(uint32_t), rows.data(), rows_bytes);
  return frame;
}

}  // namespace quadrille::store
