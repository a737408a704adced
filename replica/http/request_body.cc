#include "replica/http/request_body.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace quadrille::http {
namespace {

constexpr size_t written_at_once = size_t{256} << 10;

base::Error file_error(const char* what, int error) {
  const bool is_full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  return {is_full ? base::ErrorKind::ResourceExhausted : base::ErrorKind::IoFailure,
          fmt::format("{} for the body of a request: {}", what, std::strerror(error)),
          {}};
}

// -1 with errno where it cannot be made.
int open_nameless(const std::filesystem::path& directory) {
  const int file = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return file;
  std::string name = (directory / "request-XXXXXX").string();  // file systems without O_TMPFILE
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

}  // namespace

RequestBody::~RequestBody() {
  if (mapped_ != nullptr) ::munmap(mapped_, size_);
  if (file_ >= 0) ::close(file_);
}

base::Result<void> RequestBody::append(std::string_view bytes) {
  pending_ += bytes;
  size_ += bytes.size();
  if (file_ < 0 && pending_.size() <= bytes_in_memory_) return {};
  if (file_ >= 0 && pending_.size() < written_at_once) return {};
  return write_pending();
}

base::Result<void> RequestBody::write_pending() {
  if (file_ < 0) file_ = open_nameless(directory_);
  if (file_ < 0) return file_error("cannot make a file", errno);
  std::string_view left = pending_;
  while (!left.empty()) {
    const ssize_t count = ::write(file_, left.data(), left.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return file_error("cannot write", errno);
    left.remove_prefix(static_cast<size_t>(count));
  }
  pending_.clear();
  return {};
}

base::Result<std::string_view> RequestBody::view() {
  if (file_ < 0) return std::string_view(pending_);
  if (mapped_ == nullptr) {
    QUADRILLE_TRY(write_pending());
    pending_.shrink_to_fit();
    void* mapped = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file_, 0);
    if (mapped == MAP_FAILED) return file_error("cannot map the file", errno);
    ::madvise(mapped, size_, MADV_SEQUENTIAL);
    mapped_ = mapped;
  }
  return std::string_view(static_cast<const char*>(mapped_), size_);
}

}  // namespace quadrille::http
