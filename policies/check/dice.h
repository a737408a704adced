// Chance from a seed: the same seed gives the same throws, everywhere. SplitMix64 (Steele, Lea and Flood, "Fast
// Splittable Pseudorandom Number Generators", 2014).
#pragma once

#include <cstdint>
#include <span>

namespace quadrille::policies::check {

class Dice {
 public:
  explicit Dice(uint64_t seed) : state_(seed) {}
  // Independent dice for one case of a seed.
  Dice(uint64_t seed, uint64_t number) : Dice(Dice(seed).next() ^ (number + 1) * 0x9E3779B97F4A7C15u) {}

  uint64_t next() {
    uint64_t mixed = state_ += 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
    return mixed ^ mixed >> 31;
  }
  // 0 ... end - 1; `end` is at least 1.
  uint32_t below(uint32_t end) { return static_cast<uint32_t>((next() >> 32) * end >> 32); }
  uint32_t between(uint32_t first, uint32_t last) { return first + below(last - first + 1); }
  bool percent(uint32_t share) { return below(100) < share; }
  template <class T>
  const T& one_of(std::span<const T> choices) {
    return choices[below(static_cast<uint32_t>(choices.size()))];
  }

 private:
  uint64_t state_;
};

}  // namespace quadrille::policies::check
