#include "engine/base/temporary_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "engine/base/result.h"

namespace quadrille::base {

TemporaryFile::TemporaryFile(const std::filesystem::path& directory, std::string_view whose)
    : whose_(whose), name_(directory / fmt::format("{}.tmp", whose)) {
  descriptor_ = open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor_ >= 0) return;
  // A file system that has no files without a name: then it has one for a moment.
  constexpr int tries = 100;  // two threads of one process may do this at the same time
  for (int attempt = 0; descriptor_ < 0 && attempt < tries; ++attempt) {
    unlink(name_.c_str());
    descriptor_ = open(name_.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    if (descriptor_ < 0 && errno != EEXIST) break;
  }
  if (descriptor_ < 0) fail("make", errno);
  unlink(name_.c_str());
}

TemporaryFile::~TemporaryFile() { close(descriptor_); }

void TemporaryFile::fail(const char* what, int code) const {
  const bool is_full = code == ENOSPC || code == EDQUOT || code == EFBIG;
  throw StorageError(
      {is_full ? ErrorKind::ResourceExhausted : ErrorKind::IoFailure,
       fmt::format("{} (a temporary file of the {}): cannot {} it: {}", name_, whose_, what, std::strerror(code)),
       {}});
}

void TemporaryFile::note_size() {
  struct stat found {};
  if (fstat(descriptor_, &found) != 0) fail("measure", errno);
  size_ = static_cast<uint64_t>(found.st_size);
}

void TemporaryFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(size_));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("write", errno);
    size_ += static_cast<uint64_t>(count);
    bytes.remove_prefix(static_cast<size_t>(count));
  }
}

void TemporaryFile::read(uint64_t offset, std::span<char> room) const {
  while (!room.empty()) {
    const ssize_t count = pread(descriptor_, room.data(), room.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail("read", count < 0 ? errno : EIO);
    offset += static_cast<uint64_t>(count);
    room = room.subspan(static_cast<size_t>(count));
  }
}

}  // namespace quadrille::base
