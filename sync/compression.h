// Zstandard, one frame at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace quadrille::sync {

// Keeps its tables between frames. Not thread-safe.
class Compressor {
 public:
  Compressor();
  ~Compressor();
  std::string compress(std::string_view data);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// InvalidInput unless `frame` holds exactly `bytes` bytes. Makes room for `bytes`: the caller bounds them.
base::Result<std::string> decompress(std::string_view frame, uint64_t bytes);

}  // namespace quadrille::sync
