#include "sync/compression.h"

#include <zstd.h>

#include "engine/base/check.h"
#include "sync/wire.h"

namespace quadrille::sync {

namespace {

// What bytes between data centers cost is worth some time: this level takes 0.7 microseconds a quad.
constexpr int stream_level = 5;
// What is kept in memory for a while is not.
constexpr int frame_level = 1;

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const noexcept { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const noexcept { ZSTD_freeDCtx(context); }
};

void check_done(size_t outcome) {
  QUADRILLE_CHECK(!ZSTD_isError(outcome), "compression into a buffer that is large enough");
}

}  // namespace

struct Compressor::State {
  std::unique_ptr<ZSTD_CCtx, FreeContext> context{ZSTD_createCCtx()};
};

Compressor::Compressor() : state_(std::make_unique<State>()) {
  check_done(ZSTD_CCtx_setParameter(state_->context.get(), ZSTD_c_compressionLevel, stream_level));
  check_done(ZSTD_CCtx_setParameter(state_->context.get(), ZSTD_c_windowLog, window_bits));
}
Compressor::~Compressor() = default;

std::string Compressor::compress(std::string_view data) {
  std::string part(ZSTD_compressBound(data.size()) + 64, '\0');
  ZSTD_inBuffer in{data.data(), data.size(), 0};
  ZSTD_outBuffer out{part.data(), part.size(), 0};
  while (true) {
    const size_t left = ZSTD_compressStream2(state_->context.get(), &out, &in, ZSTD_e_flush);
    check_done(left);
    if (left == 0 && in.pos == in.size) break;
    part.resize(part.size() + left + 64);  // blocks that were flushed for being full take some bytes more
    out = {part.data(), part.size(), out.pos};
  }
  part.resize(out.pos);
  return part;
}

struct Decompressor::State {
  std::unique_ptr<ZSTD_DCtx, FreeContext> context{ZSTD_createDCtx()};
};

Decompressor::Decompressor() : state_(std::make_unique<State>()) {
  check_done(ZSTD_DCtx_setParameter(state_->context.get(), ZSTD_d_windowLogMax, window_bits));
}
Decompressor::~Decompressor() = default;

base::Result<std::string> Decompressor::decompress(std::string_view part, uint64_t bytes) {
  std::string data(bytes, '\0');
  ZSTD_inBuffer in{part.data(), part.size(), 0};
  ZSTD_outBuffer out{data.data(), data.size(), 0};
  size_t before = SIZE_MAX;
  while (in.pos < in.size || out.pos < out.size) {
    if (before == in.pos + out.pos) break;  // nothing goes on
    before = in.pos + out.pos;
    if (ZSTD_isError(ZSTD_decompressStream(state_->context.get(), &out, &in))) break;
  }
  // Is there more to come of what was put in? Then it goes nowhere.
  char more = 0;
  ZSTD_outBuffer beyond{&more, sizeof more, 0};
  const bool is_whole = in.pos == in.size && out.pos == out.size &&
                        !ZSTD_isError(ZSTD_decompressStream(state_->context.get(), &beyond, &in)) && beyond.pos == 0;
  if (!is_whole) return broken_rule("data that is not one Zstandard frame of the given size, nor the next part of one");
  return data;
}

std::string compress_frame(std::string_view data) {
  std::string frame(ZSTD_compressBound(data.size()), '\0');
  const size_t size = ZSTD_compress(frame.data(), frame.size(), data.data(), data.size(), frame_level);
  check_done(size);
  frame.resize(size);
  return frame;
}

base::Result<std::string> decompress_frame(std::string_view frame, uint64_t bytes) {
  std::string data(bytes, '\0');
  const size_t size = ZSTD_decompress(data.data(), data.size(), frame.data(), frame.size());
  if (ZSTD_isError(size) || size != bytes) return broken_rule("data that is not one Zstandard frame of the given size");
  return data;
}

}  // namespace quadrille::sync
