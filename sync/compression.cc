#include "sync/compression.h"

#include <zstd.h>

#include "engine/base/check.h"
#include "sync/wire.h"

namespace quadrille::sync {

namespace {

// The fastest levels keep up with the link; what higher ones gain on text of terms is not worth their time.
constexpr int level = 1;

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const noexcept { ZSTD_freeCCtx(context); }
};

}  // namespace

struct Compressor::State {
  std::unique_ptr<ZSTD_CCtx, FreeContext> context{ZSTD_createCCtx()};
};

Compressor::Compressor() : state_(std::make_unique<State>()) {}
Compressor::~Compressor() = default;

std::string Compressor::compress(std::string_view data) {
  std::string frame(ZSTD_compressBound(data.size()), '\0');
  const size_t size =
      ZSTD_compressCCtx(state_->context.get(), frame.data(), frame.size(), data.data(), data.size(), level);
  QUADRILLE_CHECK(!ZSTD_isError(size), "compression into a buffer that is large enough");
  frame.resize(size);
  return frame;
}

base::Result<std::string> decompress(std::string_view frame, uint64_t bytes) {
  std::string data(bytes, '\0');
  const size_t size = ZSTD_decompress(data.data(), data.size(), frame.data(), frame.size());
  if (ZSTD_isError(size) || size != bytes) return broken_rule("data that is not one Zstandard frame of the given size");
  return data;
}

}  // namespace quadrille::sync
