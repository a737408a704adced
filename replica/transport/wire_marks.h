// By their first bytes a TLS connection and one of ours without TLS know each other apart. A TLS record begins with its
// type, 20 to 23, and with 3 (RFC 8446 section 5.1); ours begins with a message of one segment, so with 0.
#pragma once

#include <array>
#include <cstdint>

namespace quadrille::replica {

constexpr bool is_tls_record(uint8_t first) noexcept { return first >= 20 && first <= 23; }

// A fatal alert, "protocol_version": what a TLS site tells one that does not speak TLS.
inline constexpr std::array<uint8_t, 7> no_tls_alert = {21, 3, 3, 0, 2, 2, 70};

}  // namespace quadrille::replica
