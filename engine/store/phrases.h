// Phrases: text that many terms of a store have in common, trained from a sample of them (a "dictionary" in the words
// of zstd). With them a few kilobytes compress as well as many do without, so that one term is cheap to reach.
//
// A store has a few: new ones are trained when it has grown many times over since. Blocks name theirs by number.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

struct ZSTD_CDict_s;
struct ZSTD_DDict_s;

namespace quadrille::store {

inline constexpr int term_compression_level = 3;
// Of text that phrases are trained from: less is not worth the room that they take, more takes too long.
inline constexpr size_t phrases_sample_bytes = size_t{1} << 20;
inline constexpr size_t phrases_bytes_max = 440 << 10;

// Does not change once made: usable from any thread.
class Phrases {
 public:
  // Of the bytes that train() gave. Throws base::StorageError (ResourceExhausted) without memory.
  explicit Phrases(std::string bytes);
  ~Phrases();
  Phrases(const Phrases&) = delete;
  Phrases& operator=(const Phrases&) = delete;

  // Of samples of some kilobytes each. About 20 ms a megabyte; deterministic. Nothing where the samples are too few or
  // too odd to learn from.
  static std::shared_ptr<const Phrases> train(std::span<const std::string_view> samples,
                                              size_t bytes_max = phrases_bytes_max);

  uint32_t number() const noexcept { return number_; }
  static uint32_t number_of(std::string_view bytes) noexcept;  // never 0
  const std::string& bytes() const noexcept { return bytes_; }
  const ZSTD_CDict_s* for_compression() const noexcept { return compression_.get(); }
  const ZSTD_DDict_s* for_decompression() const noexcept { return decompression_.get(); }

 private:
  struct Closer {
    void operator()(ZSTD_CDict_s* dictionary) const noexcept;
    void operator()(ZSTD_DDict_s* dictionary) const noexcept;
  };
  std::string bytes_;
  uint32_t number_;
  std::unique_ptr<ZSTD_CDict_s, Closer> compression_;
  std::unique_ptr<ZSTD_DDict_s, Closer> decompression_;
};

}  // namespace quadrille::store
