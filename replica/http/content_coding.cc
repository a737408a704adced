#include "replica/http/content_coding.h"

#define ZLIB_CONST
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>

#include "engine/base/check.h"
#include "replica/http/accept.h"

namespace quadrille::http {
namespace {

constexpr int gzip_level = 4;    // answers are made faster than a high level compresses
constexpr int gzip_window = 31;  // 15, and a gzip header
constexpr int zstd_level = 1;

class GzipCompressor final : public Compressor {
 public:
  GzipCompressor() {
    const int made = deflateInit2(&stream_, gzip_level, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY);
    QUADRILLE_CHECK(made == Z_OK, "zlib does not start");
  }
  ~GzipCompressor() override { deflateEnd(&stream_); }
  GzipCompressor(const GzipCompressor&) = delete;
  GzipCompressor& operator=(const GzipCompressor&) = delete;

  void compress(std::string_view bytes, std::string& out) override { run(bytes, Z_NO_FLUSH, out); }
  void finish(std::string& out) override { run({}, Z_FINISH, out); }

 private:
  void run(std::string_view bytes, int flush, std::string& out) {
    stream_.next_in = reinterpret_cast<const Bytef*>(bytes.data());
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(room_.data());
      stream_.avail_out = static_cast<uInt>(room_.size());
      deflate(&stream_, flush);
      out.append(room_.data(), room_.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

  z_stream stream_{};
  std::array<char, size_t{32} << 10> room_;
};

class ZstdCompressor final : public Compressor {
 public:
  ZstdCompressor() : stream_(ZSTD_createCCtx()) {
    QUADRILLE_CHECK(stream_ != nullptr, "zstd does not start");
    ZSTD_CCtx_setParameter(stream_, ZSTD_c_compressionLevel, zstd_level);
  }
  ~ZstdCompressor() override { ZSTD_freeCCtx(stream_); }
  ZstdCompressor(const ZstdCompressor&) = delete;
  ZstdCompressor& operator=(const ZstdCompressor&) = delete;

  void compress(std::string_view bytes, std::string& out) override { run(bytes, ZSTD_e_continue, out); }
  void finish(std::string& out) override { run({}, ZSTD_e_end, out); }

 private:
  void run(std::string_view bytes, ZSTD_EndDirective directive, std::string& out) {
    ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
    size_t left = 0;
    do {
      ZSTD_outBuffer output{room_.data(), room_.size(), 0};
      left = ZSTD_compressStream2(stream_, &output, &input, directive);
      QUADRILLE_CHECK(ZSTD_isError(left) == 0, "zstd compresses");
      out.append(room_.data(), output.pos);
    } while (input.pos < input.size || (directive == ZSTD_e_end && left != 0));
  }

  ZSTD_CCtx* stream_;
  std::array<char, size_t{32} << 10> room_;
};

}  // namespace

ContentCoding choose_coding(std::string_view accept_encoding) {
  // RFC 9110 section 12.5.3: "identity" is taken unless it is refused; we send it to those too, who cannot be helped.
  const auto best = std::array{std::string_view("zstd"), std::string_view("gzip")};
  const auto chosen = accept_encoding.empty() ? std::nullopt : choose_token(accept_encoding, best);
  if (!chosen) return ContentCoding::Identity;
  return *chosen == 0 ? ContentCoding::Zstd : ContentCoding::Gzip;
}

const char* name_of(ContentCoding coding) noexcept {
  switch (coding) {
    case ContentCoding::Identity: return "identity";
    case ContentCoding::Gzip: return "gzip";
    case ContentCoding::Zstd: return "zstd";
  }
  return "identity";
}

std::unique_ptr<Compressor> make_compressor(ContentCoding coding) {
  QUADRILLE_CHECK(coding != ContentCoding::Identity, "nothing to compress with");
  if (coding == ContentCoding::Gzip) return std::make_unique<GzipCompressor>();
  return std::make_unique<ZstdCompressor>();
}

}  // namespace quadrille::http
