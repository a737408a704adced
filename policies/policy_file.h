// The file that a policy is in.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace quadrille::policies {

// NotFound, IoFailure, or ResourceExhausted for more than `bytes_max`.
base::Result<std::string> read_policy_file(const std::filesystem::path& file, size_t bytes_max);

// XXH3-128 in hexadecimal digits: what sites compare.
std::string digest_of(std::string_view bytes);

}  // namespace quadrille::policies
