// Chance from a seed: xoshiro256** (Blackman and Vigna, "Scrambled Linear Pseudorandom Number Generators", 2021), its
// state filled by splitmix64 from XXH3-64 of the purpose, seeded with the seed.
//
// Each purpose ("workload ams", "faults", "link ams nyc") has a stream of its own, so that one more draw for one
// purpose shifts no other.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "engine/base/clock.h"

namespace quadrille::sim {

class RandomStream final : public base::RandomSource {
 public:
  RandomStream(uint64_t seed, std::string_view purpose);

  uint64_t next() override;
  uint64_t below(uint64_t limit);                // uniform in [0, limit); requires limit > 0
  int64_t between(int64_t first, int64_t last);  // uniform, both included; requires first <= last
  double fraction();                             // uniform in [0, 1)
  bool chance(double probability) { return fraction() < probability; }
  double exponential(double mean);  // time to the next event of a Poisson process

 private:
  std::array<uint64_t, 4> state_;
};

}  // namespace quadrille::sim
