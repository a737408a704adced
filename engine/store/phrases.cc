#include "engine/store/phrases.h"

#define ZDICT_STATIC_LINKING_ONLY  // the trainer that takes milliseconds where the other takes a tenth of a second
#define ZSTD_STATIC_LINKING_ONLY   // to say how large the tables are that phrases are found with
#include <xxhash.h>
#include <zdict.h>
#include <zstd.h>

#include <utility>
#include <vector>

#include "engine/base/result.h"

namespace quadrille::store {
namespace {

constexpr size_t samples_min = 16;  // zstd asks for some

// As the fastest levels, with tables that are large enough for all phrases: a load spends a third of its time here, and
// what a stronger search (dfast, 5) would save is a byte a quad.
ZSTD_CDict* make_compression(const std::string& bytes) {
  ZSTD_compressionParameters parameters = ZSTD_getCParams(term_compression_level, 0, bytes.size());
  parameters.windowLog = 19;
  parameters.chainLog = parameters.hashLog = 18;
  parameters.minMatch = 6;
  parameters.strategy = ZSTD_fast;
  return ZSTD_createCDict_advanced(bytes.data(), bytes.size(), ZSTD_dlm_byCopy, ZSTD_dct_auto, parameters,
                                   ZSTD_defaultCMem);
}

}  // namespace

void Phrases::Closer::operator()(ZSTD_CDict_s* dictionary) const noexcept { ZSTD_freeCDict(dictionary); }
void Phrases::Closer::operator()(ZSTD_DDict_s* dictionary) const noexcept { ZSTD_freeDDict(dictionary); }

Phrases::Phrases(std::string bytes)
    : bytes_(std::move(bytes)),
      number_(number_of(bytes_)),
      compression_(make_compression(bytes_)),
      decompression_(ZSTD_createDDict(bytes_.data(), bytes_.size())) {
  if (!compression_ || !decompression_) {
    throw base::StorageError({base::ErrorKind::ResourceExhausted, "no memory for the phrases of terms", {}});
  }
}

Phrases::~Phrases() = default;

uint32_t Phrases::number_of(std::string_view bytes) noexcept {
  const auto number = static_cast<uint32_t>(XXH3_64bits(bytes.data(), bytes.size()));
  return number == 0 ? 1 : number;
}

std::shared_ptr<const Phrases> Phrases::train(std::span<const std::string_view> samples, size_t bytes_max) {
  if (samples.size() < samples_min) return nullptr;
  std::string text;
  std::vector<size_t> sizes;
  for (const std::string_view sample : samples) {
    text += sample;
    sizes.push_back(sample.size());
  }
  ZDICT_fastCover_params_t parameters{};
  parameters.k = 200;  // bytes of a segment; the rest as zstd's own levels of acceleration have it
  parameters.d = 8;
  parameters.f = 18;
  parameters.accel = 4;
  parameters.steps = 1;
  parameters.zParams.compressionLevel = term_compression_level;
  std::string bytes(bytes_max, '\0');
  const size_t size = ZDICT_trainFromBuffer_fastCover(bytes.data(), bytes.size(), text.data(), sizes.data(),
                                                      static_cast<unsigned>(sizes.size()), parameters);
  if (ZDICT_isError(size)) return nullptr;
  bytes.resize(size);
  return std::make_shared<const Phrases>(std::move(bytes));
}

}  // namespace quadrille::store
