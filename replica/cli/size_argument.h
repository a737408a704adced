// Sizes as people write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace quadrille::cli {

// "4096", "64K", "512M", "4G", also "512 MiB" and the like, in any case: powers of 1024. Nothing for anything else, and
// for what does not fit.
std::optional<uint64_t> parse_size(std::string_view text) noexcept;

}  // namespace quadrille::cli
