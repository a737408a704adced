// Who holds a directory: one process, and in it one opening.
#pragma once

#include <filesystem>

#include "engine/base/result.h"

namespace quadrille::store {

// An flock on `directory`/lock, given back by the destructor, and by the system when the process ends, however it ends.
class DirectoryLock {
 public:
  // Busy, naming the process that holds it, if somebody does. Makes the lock's file, but no directory.
  static base::Result<DirectoryLock> take(const std::filesystem::path& directory);
  ~DirectoryLock();
  DirectoryLock(DirectoryLock&& other) noexcept : file_(other.file_) { other.file_ = -1; }
  DirectoryLock& operator=(DirectoryLock&&) = delete;

 private:
  explicit DirectoryLock(int file) : file_(file) {}
  int file_ = -1;
};

}  // namespace quadrille::store
