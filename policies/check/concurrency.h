// Concurrency components of a history's versions, by sets of bits. Internal to simulated_sites.cc.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "policies/check/simulated_sites.h"

namespace quadrille::policies::check {

inline bool contains(uint64_t set, size_t version) { return (set >> version & 1) != 0; }
inline uint64_t bit(size_t version) { return uint64_t{1} << version; }

// By (stamp, origin).
std::vector<uint8_t> in_order(const std::vector<PlayedVersion>& versions, uint64_t set);
// Leading first.
std::vector<uint64_t> components_of(const std::vector<PlayedVersion>& versions, uint64_t set);
uint64_t maximal_of(const std::vector<PlayedVersion>& versions, uint64_t set);

}  // namespace quadrille::policies::check
