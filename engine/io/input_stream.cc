#include "engine/io/input_stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace quadrille::io {
namespace {

base::Error system_error(std::string_view doing, std::string_view name, int code) {
  const auto kind = code == ENOENT || code == ENOTDIR ? base::ErrorKind::NotFound : base::ErrorKind::IoFailure;
  return {kind, fmt::format("cannot {} {}: {}", doing, name, std::generic_category().message(code)), {}};
}

class FileInput final : public InputStream {
 public:
  // Closes the descriptor in the end if it is `owned`.
  FileInput(int descriptor, bool owned, std::string name, std::optional<uint64_t> size)
      : descriptor_(descriptor), owned_(owned), name_(std::move(name)) {
    progress_.bytes_total = size;
  }
  ~FileInput() override {
    if (owned_) ::close(descriptor_);
  }
  FileInput(const FileInput&) = delete;
  FileInput& operator=(const FileInput&) = delete;

  base::Result<size_t> read(std::span<char> room) override {
    for (;;) {
      const ssize_t count = ::read(descriptor_, room.data(), room.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return system_error("read", name_, errno);
      progress_.bytes_read += static_cast<uint64_t>(count);
      return static_cast<size_t>(count);
    }
  }

  InputProgress progress() const override { return progress_; }

 private:
  int descriptor_;
  bool owned_;
  std::string name_;
  InputProgress progress_;
};

base::Result<std::unique_ptr<InputStream>> open_file(const std::string& name) {
  const int descriptor = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return system_error("open", name, errno);
  struct stat status {};
  std::optional<uint64_t> size;
  const bool is_known = ::fstat(descriptor, &status) == 0;
  if (is_known && S_ISREG(status.st_mode)) size = static_cast<uint64_t>(status.st_size);
  auto file = std::make_unique<FileInput>(descriptor, true, name, size);
  if (is_known && S_ISDIR(status.st_mode)) {
    return base::Error{
        base::ErrorKind::IoFailure, fmt::format("cannot read {}: expected a file, found a directory", name), {}};
  }
  return std::unique_ptr<InputStream>(std::move(file));
}

}  // namespace

base::Result<size_t> MemoryInput::read(std::span<char> room) {
  const size_t count = std::min(room.size(), text_.size() - at_);
  if (count != 0) std::memcpy(room.data(), text_.data() + at_, count);
  at_ += count;
  return count;
}

base::Result<std::unique_ptr<InputStream>> open_input(const std::string& file_name) {
  if (file_name == "-") {
    return std::unique_ptr<InputStream>(
        std::make_unique<FileInput>(STDIN_FILENO, false, "standard input", std::nullopt));
  }
  QUADRILLE_ASSIGN(std::unique_ptr<InputStream> file, open_file(file_name));
  if (file_name.ends_with(".gz")) return make_gzip_input(std::move(file), file_name);
  if (file_name.ends_with(".zst")) return make_zstd_input(std::move(file), file_name);
  return file;
}

base::Result<std::string> read_all(InputStream& input, size_t size_max) {
  constexpr size_t step = size_t{256} << 10;
  std::string text;
  for (;;) {
    const size_t size = text.size();
    text.resize(size + step);
    QUADRILLE_ASSIGN(const size_t count, input.read({text.data() + size, step}));
    text.resize(size + count);
    if (text.size() > size_max) {
      return base::Error{base::ErrorKind::ResourceExhausted, fmt::format("expected at most {} bytes", size_max), {}};
    }
    if (count == 0) return text;
  }
}

}  // namespace quadrille::io
