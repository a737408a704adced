#include "replica/cli/empty_directory.h"

#include <fmt/format.h>

namespace quadrille::cli {

namespace fs = std::filesystem;

base::Result<EmptyDirectory> EmptyDirectory::take(const fs::path& directory) {
  std::error_code trouble;
  const bool exists = fs::exists(directory, trouble);
  if (exists && (!fs::is_directory(directory, trouble) || !fs::is_empty(directory, trouble))) {
    return base::Error{base::ErrorKind::Refused,
                       fmt::format("{} is not empty; expected a new or empty directory", directory.string()),
                       {}};
  }
  if (!trouble && !exists) fs::create_directories(directory, trouble);
  if (!trouble) return EmptyDirectory(directory, !exists);
  return base::Error{base::ErrorKind::IoFailure, fmt::format("{}: {}", directory.string(), trouble.message()), {}};
}

EmptyDirectory::EmptyDirectory(EmptyDirectory&& other) noexcept
    : directory_(std::move(other.directory_)), was_made_(other.was_made_), is_kept_(other.is_kept_) {
  other.is_kept_ = true;
}

EmptyDirectory::~EmptyDirectory() {
  if (is_kept_) return;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory_, ignored)) fs::remove_all(entry.path(), ignored);
  if (was_made_) fs::remove(directory_, ignored);
}

}  // namespace quadrille::cli
