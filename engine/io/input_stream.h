// Where bytes come from: memory, a file, standard input, a compressed file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace quadrille::io {

// How far a reader has come, in bytes as they lie on the disk (compressed, if they are). For progress and time left.
struct InputProgress {
  uint64_t bytes_read = 0;
  std::optional<uint64_t> bytes_total;  // unknown for pipes
};

// Bytes in order, once. One thread at a time; `progress` may be asked between reads only.
class InputStream {
 public:
  virtual ~InputStream() = default;
  // Fills some of `room` (not empty) and says how much; 0 at the end only. After an error there is nothing more.
  virtual base::Result<size_t> read(std::span<char> room) = 0;
  virtual InputProgress progress() const = 0;
};

// The text must outlive the stream.
class MemoryInput final : public InputStream {
 public:
  explicit MemoryInput(std::string_view text) : text_(text) {}
  base::Result<size_t> read(std::span<char> room) override;
  InputProgress progress() const override { return {at_, text_.size()}; }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

// Opens a file by name; "-" is standard input. Names that end in .gz (RFC 1952) or .zst (RFC 8878) are decompressed on
// the way; several compressed members in a row are one stream; a file that ends inside a member is an error.
// NotFound if there is no such file, IoFailure if it cannot be read.
base::Result<std::unique_ptr<InputStream>> open_input(const std::string& file_name);

// The two decompressors by themselves. `name` stands in error messages.
std::unique_ptr<InputStream> make_gzip_input(std::unique_ptr<InputStream> compressed, std::string name);
std::unique_ptr<InputStream> make_zstd_input(std::unique_ptr<InputStream> compressed, std::string name);

// The rest of a stream, as far as `size_max` bytes; more is ResourceExhausted.
base::Result<std::string> read_all(InputStream& input, size_t size_max);

}  // namespace quadrille::io
