// Zstandard: a stream that goes on from batch to batch of a connection, so that a term which was sent lately costs a
// few bytes; and single frames, for what is kept.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace quadrille::sync {

// What either side of a stream looks back on at most, and about what it keeps in memory.
inline constexpr int window_bits = 21;

// The sending end of a stream. Not thread-safe.
class Compressor {
 public:
  Compressor();
  ~Compressor();
  // The next part of the stream, flushed: it gives all of `data` to who has had all parts before it.
  std::string compress(std::string_view data);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The receiving end. Not thread-safe.
class Decompressor {
 public:
  Decompressor();
  ~Decompressor();
  // InvalidInput unless the next part of the stream gives exactly `bytes` bytes; then nothing more comes of it. Makes
  // room for `bytes`: the caller bounds them.
  base::Result<std::string> decompress(std::string_view part, uint64_t bytes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// One frame by itself.
std::string compress_frame(std::string_view data);
base::Result<std::string> decompress_frame(std::string_view frame, uint64_t bytes);

}  // namespace quadrille::sync
