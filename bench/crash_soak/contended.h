// Cells that the clients of all sites write at once: counters, which add up whatever was written apart, registers, of
// which the last value counts, and flags, which are set and taken down.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "bench/crash_soak/http_session.h"

namespace quadrille::crash_soak {

inline constexpr int contended_count = 4;  // of each kind
using Counters = std::array<int64_t, contended_count>;

// What the sites are made with: which property is decided how.
std::string contended_policies();
// The update that makes the counters; at one site, before anybody counts.
std::string make_counters();

// Updates. Those of a counter also insert `lines`, N-Quads without the dot, as parts of the same transaction.
std::string count_up(int counter, int64_t by, const std::string& block);
std::string set_register(int number, const std::string& value);
std::string set_flag(int number, bool is_up);

// Nothing: they cannot be read, or are not whole.
std::optional<Counters> read_counters(HttpSession& http, const std::string& url);

}  // namespace quadrille::crash_soak
