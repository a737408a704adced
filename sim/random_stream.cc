#include "sim/random_stream.h"

#include <xxhash.h>

#include <bit>
#include <cmath>

#include "engine/base/check.h"

namespace quadrille::sim {
namespace {

uint64_t splitmix64(uint64_t& state) {
  uint64_t z = (state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

}  // namespace

RandomStream::RandomStream(uint64_t seed, std::string_view purpose) {
  uint64_t state = XXH3_64bits_withSeed(purpose.data(), purpose.size(), seed);
  for (auto& word : state_) word = splitmix64(state);
}

uint64_t RandomStream::next() {
  const uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

uint64_t RandomStream::below(uint64_t limit) {
  QUADRILLE_CHECK(limit > 0, "a draw from nothing");
  // What lies above the largest multiple of `limit` is drawn again, so that no value is likelier than another.
  const uint64_t rejected = (0 - limit) % limit;
  for (;;) {
    const uint64_t draw = next();
    if (draw >= rejected) return draw % limit;
  }
}

int64_t RandomStream::between(int64_t first, int64_t last) {
  QUADRILLE_CHECK(first <= last, "a draw from an empty range");
  return first + static_cast<int64_t>(below(static_cast<uint64_t>(last - first) + 1));
}

double RandomStream::fraction() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

double RandomStream::exponential(double mean) { return -mean * std::log(1.0 - fraction()); }

}  // namespace quadrille::sim
