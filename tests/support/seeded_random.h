// Random bits that are the same in every run.
#pragma once

#include <cstdint>

#include "engine/base/clock.h"

namespace quadrille::test {

// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
class SeededRandom final : public base::RandomSource {
 public:
  explicit SeededRandom(uint64_t seed) : state_(seed) {}
  uint64_t next() override {
    uint64_t x = state_ += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
  }
  // 0 to bound - 1.
  uint64_t below(uint64_t bound) { return next() % bound; }

 private:
  uint64_t state_;
};

}  // namespace quadrille::test
