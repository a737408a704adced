#define ZLIB_CONST
#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <utility>
#include <vector>

#include "engine/io/input_stream.h"

namespace quadrille::io {
namespace {

base::Error damaged(std::string_view name, std::string_view what) {
  return {base::ErrorKind::InvalidInput, fmt::format("cannot decompress {}: {}", name, what), {}};
}

constexpr size_t compressed_chunk_size = size_t{128} << 10;

// The compressed bytes that a decompressor has not taken yet.
class CompressedBytes {
 public:
  explicit CompressedBytes(std::unique_ptr<InputStream> input)
      : input_(std::move(input)), chunk_(compressed_chunk_size) {}

  // Makes sure that there are some, unless the input ends.
  base::Result<void> fetch() {
    if (!rest_.empty() || ended_) return {};
    QUADRILLE_ASSIGN(const size_t count, input_->read(chunk_));
    rest_ = std::span<const char>(chunk_).first(count);
    ended_ = count == 0;
    return {};
  }
  std::span<const char> rest() const noexcept { return rest_; }
  void take(size_t count) noexcept { rest_ = rest_.subspan(count); }
  bool at_end() const noexcept { return ended_ && rest_.empty(); }
  InputProgress progress() const { return input_->progress(); }

 private:
  std::unique_ptr<InputStream> input_;
  std::vector<char> chunk_;
  std::span<const char> rest_;
  bool ended_ = false;
};

class GzipInput final : public InputStream {
 public:
  GzipInput(std::unique_ptr<InputStream> compressed, std::string name)
      : source_(std::move(compressed)), name_(std::move(name)) {
    constexpr int gzip_window = 15 + 16;  // the largest window; gzip framing only
    QUADRILLE_CHECK(inflateInit2(&stream_, gzip_window) == Z_OK, "zlib starts, or memory is gone");
  }
  ~GzipInput() override { inflateEnd(&stream_); }
  GzipInput(const GzipInput&) = delete;
  GzipInput& operator=(const GzipInput&) = delete;

  base::Result<size_t> read(std::span<char> room) override {
    for (;;) {
      QUADRILLE_TRY(source_.fetch());
      if (source_.at_end()) {
        if (!between_members_) return damaged(name_, "it ends in the middle");
        return size_t{0};
      }
      QUADRILLE_ASSIGN(const size_t count, inflate_some(room));
      if (count != 0) return count;
    }
  }

  InputProgress progress() const override { return source_.progress(); }

 private:
  base::Result<size_t> inflate_some(std::span<char> room) {
    const auto taken_from = source_.rest();
    stream_.next_in = reinterpret_cast<const Bytef*>(taken_from.data());
    stream_.avail_in = static_cast<uInt>(taken_from.size());
    stream_.next_out = reinterpret_cast<Bytef*>(room.data());
    const auto room_size = static_cast<uInt>(std::min<size_t>(room.size(), size_t{1} << 30));
    stream_.avail_out = room_size;
    between_members_ = false;
    const int outcome = inflate(&stream_, Z_NO_FLUSH);
    source_.take(taken_from.size() - stream_.avail_in);
    if (outcome == Z_STREAM_END) {
      between_members_ = true;
      inflateReset(&stream_);
    } else if (outcome != Z_OK && outcome != Z_BUF_ERROR) {
      return damaged(name_, stream_.msg != nullptr ? stream_.msg : "not gzip data");
    }
    return size_t{room_size - stream_.avail_out};
  }

  CompressedBytes source_;
  std::string name_;
  z_stream stream_{};
  bool between_members_ = false;  // an empty file is no gzip file
};

class ZstdInput final : public InputStream {
 public:
  ZstdInput(std::unique_ptr<InputStream> compressed, std::string name)
      : source_(std::move(compressed)), name_(std::move(name)), stream_(ZSTD_createDStream(), &ZSTD_freeDStream) {
    QUADRILLE_CHECK(stream_ != nullptr, "zstd starts, or memory is gone");
    // A hostile frame must not ask for more memory than this; `zstd --long=27` and below are read.
    ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, 27);
  }

  base::Result<size_t> read(std::span<char> room) override {
    for (;;) {
      QUADRILLE_TRY(source_.fetch());
      // Even when the input has ended, zstd may still hold output: `between_frames_` says when it does not.
      if (source_.at_end() && between_frames_) return size_t{0};
      ZSTD_inBuffer in{source_.rest().data(), source_.rest().size(), 0};
      ZSTD_outBuffer out{room.data(), room.size(), 0};
      const size_t outcome = ZSTD_decompressStream(stream_.get(), &out, &in);
      if (ZSTD_isError(outcome) != 0) return damaged(name_, ZSTD_getErrorName(outcome));
      source_.take(in.pos);
      between_frames_ = outcome == 0;
      if (out.pos != 0) return out.pos;
      if (source_.at_end() && !between_frames_) return damaged(name_, "it ends in the middle");
    }
  }

  InputProgress progress() const override { return source_.progress(); }

 private:
  CompressedBytes source_;
  std::string name_;
  std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream*)> stream_;
  bool between_frames_ = false;  // an empty file is no zstd file
};

}  // namespace

std::unique_ptr<InputStream> make_gzip_input(std::unique_ptr<InputStream> compressed, std::string name) {
  return std::make_unique<GzipInput>(std::move(compressed), std::move(name));
}

std::unique_ptr<InputStream> make_zstd_input(std::unique_ptr<InputStream> compressed, std::string name) {
  return std::make_unique<ZstdInput>(std::move(compressed), std::move(name));
}

}  // namespace quadrille::io
