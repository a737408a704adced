// A directory to be filled: all of it, or it is left as it was found.
#pragma once

#include <filesystem>

#include "engine/base/result.h"

namespace quadrille::cli {

class EmptyDirectory {
 public:
  // Made if it is not there. Refused: there is something in it.
  static base::Result<EmptyDirectory> take(const std::filesystem::path& directory);
  // One that has been begun to be filled.
  static base::Result<EmptyDirectory> fill(const std::filesystem::path& directory) {
    return EmptyDirectory(directory, false);
  }
  // Empties it again, and removes it if it was made here, unless keep() was called.
  ~EmptyDirectory();
  EmptyDirectory(EmptyDirectory&& other) noexcept;
  EmptyDirectory& operator=(EmptyDirectory&&) = delete;
  void keep() noexcept { is_kept_ = true; }

 private:
  EmptyDirectory(std::filesystem::path directory, bool was_made)
      : directory_(std::move(directory)), was_made_(was_made) {}
  std::filesystem::path directory_;
  bool was_made_;
  bool is_kept_ = false;
};

}  // namespace quadrille::cli
