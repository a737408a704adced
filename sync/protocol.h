// The numbers of the protocol that sync.capnp specifies.
#pragma once

#include <cstddef>
#include <cstdint>

namespace quadrille::sync {

inline constexpr uint16_t protocol_version_min = 1;
inline constexpr uint16_t protocol_version_max = 1;
inline constexpr uint16_t changeset_format = 1;  // log/changeset_codec.h

inline constexpr uint32_t unanswered_pushes_max = 8;
inline constexpr uint64_t batch_data_bytes_limit = 64 * 1024 * 1024;  // before compression
inline constexpr uint32_t batch_entries_max = 4096;                   // what we put into one batch
inline constexpr uint32_t batch_entries_limit = 65'536;               // what we take
inline constexpr uint64_t header_bytes_limit = 1024 * 1024;
inline constexpr uint32_t vector_entries_max = 4096;
inline constexpr uint32_t members_max = 4096;
inline constexpr int message_nesting_max = 64;
inline constexpr uint32_t greeting_timeout_ms = 10'000;

}  // namespace quadrille::sync
