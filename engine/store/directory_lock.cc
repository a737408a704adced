#include "engine/store/directory_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace quadrille::store {
namespace {

// The number in the lock's file, for the message only.
std::string holder_of(int file) {
  char text[32] = {};
  const ssize_t length = ::pread(file, text, sizeof text - 1, 0);
  if (length <= 0) return "another process";
  std::string number(text, static_cast<size_t>(length));
  number.erase(number.find_last_not_of('\n') + 1);
  return number == std::to_string(::getpid()) ? "this process" : "process " + number;
}

}  // namespace

base::Result<DirectoryLock> DirectoryLock::take(const std::filesystem::path& directory) {
  const std::string path = (directory / "lock").string();
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) {
    return base::Error{base::ErrorKind::IoFailure, fmt::format("{}: cannot open: {}", path, std::strerror(errno)), {}};
  }
  DirectoryLock lock(file);
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      return base::Error{base::ErrorKind::Busy,
                         fmt::format("{}: the store is in use by {}; one process at a time may open it",
                                     directory.string(), holder_of(file)),
                         {}};
    }
    return base::Error{base::ErrorKind::IoFailure, fmt::format("{}: cannot lock: {}", path, std::strerror(errno)), {}};
  }
  const std::string self = std::to_string(::getpid()) + "\n";
  // A full disk may refuse the number: the lock holds all the same.
  if (::ftruncate(file, 0) == 0) [[maybe_unused]]
    const ssize_t written = ::pwrite(file, self.data(), self.size(), 0);
  return lock;
}

DirectoryLock::~DirectoryLock() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace quadrille::store
