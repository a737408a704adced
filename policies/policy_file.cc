#include "policies/policy_file.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <fstream>
#include <system_error>

namespace quadrille::policies {

base::Result<std::string> read_policy_file(const std::filesystem::path& file, size_t bytes_max) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (status.type() == std::filesystem::file_type::not_found) {
    return base::Error{base::ErrorKind::NotFound, fmt::format("{}: no such file", file.string()), {}};
  }
  const auto unreadable = [&](std::string_view found) {
    return base::Error{base::ErrorKind::IoFailure,
                       fmt::format("{}: expected a file that can be read, found {}", file.string(), found),
                       {}};
  };
  if (std::filesystem::is_directory(status)) return unreadable("a directory");  // which opens, and reads as empty
  std::ifstream in(file, std::ios::binary);
  if (!in) return unreadable("one that cannot be opened");
  std::string bytes;
  std::string part(size_t{1} << 16, '\0');
  while (in.read(part.data(), static_cast<std::streamsize>(part.size())) || in.gcount() > 0) {
    bytes.append(part, 0, static_cast<size_t>(in.gcount()));
    if (bytes.size() > bytes_max) {
      return base::Error{
          base::ErrorKind::ResourceExhausted, fmt::format("{}: larger than {} bytes", file.string(), bytes_max), {}};
    }
  }
  if (in.bad()) return unreadable("one that fails while it is read");
  return bytes;
}

std::string digest_of(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace quadrille::policies
