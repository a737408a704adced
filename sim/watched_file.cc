#include "sim/watched_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <utility>
#include <vector>

#include "engine/base/check.h"

namespace quadrille::sim {
namespace {

constexpr uint64_t page_bytes = 4096;
constexpr uint64_t sector_bytes = 512;

// Few: one a running site.
std::vector<WatchedFile*>& watched_files() {
  static std::vector<WatchedFile*> files;
  return files;
}

uint64_t pages_of(uint64_t bytes) { return (bytes + page_bytes - 1) / page_bytes; }

bool lasts_at_once(int descriptor) {
  const int flags = ::fcntl(descriptor, F_GETFL);
  return flags >= 0 && (flags & (O_DSYNC | O_SYNC)) != 0;
}

// Of the new page what was written when the power went.
std::string torn(const std::string& before, const std::string& written, uint64_t sectors) {
  std::string page = before;
  page.resize(page_bytes);
  std::copy_n(written.begin(), std::min<size_t>(sectors * sector_bytes, written.size()), page.begin());
  return page;
}

}  // namespace

WatchedFile::WatchedFile(const std::filesystem::path& file)
    : file_(file), descriptor_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
  struct stat facts {};
  QUADRILLE_CHECK(descriptor_ >= 0 && ::fstat(descriptor_, &facts) == 0, "a file that is watched is there");
  device_ = facts.st_dev;
  inode_ = facts.st_ino;
  flushed_size_ = static_cast<uint64_t>(facts.st_size);
  watched_files().push_back(this);
}

WatchedFile::~WatchedFile() {
  std::erase(watched_files(), this);
  ::close(descriptor_);
}

WatchedFile* WatchedFile::find(int descriptor) {
  if (watched_files().empty()) return nullptr;
  struct stat facts {};
  if (::fstat(descriptor, &facts) != 0) return nullptr;
  for (auto* each : watched_files()) {
    if (each->device_ == facts.st_dev && each->inode_ == facts.st_ino) return each;
  }
  return nullptr;
}

void WatchedFile::fail_after(uint64_t calls, std::function<void()> fail) {
  calls_left_ = calls;
  fail_ = std::move(fail);
}

void WatchedFile::before_call() {
  ++calls_;
  if (!fail_) return;
  if (calls_left_ > 0) {
    --calls_left_;
  } else {
    std::exchange(fail_, nullptr)();
  }
}

std::string WatchedFile::read_page(uint64_t page) const {
  std::string bytes(page_bytes, '\0');
  const ssize_t count = ::pread(descriptor_, bytes.data(), page_bytes, static_cast<off_t>(page * page_bytes));
  bytes.resize(count > 0 ? static_cast<size_t>(count) : 0);
  return bytes;
}

void WatchedFile::before_write(int descriptor, uint64_t offset, uint64_t size) {
  if (lasts_at_once(descriptor) && !lies_) return;
  for (uint64_t page = offset / page_bytes; page < pages_of(offset + size); ++page) {
    if (!before_.contains(page)) before_.emplace(page, read_page(page));
  }
}

void WatchedFile::after_write(int descriptor, uint64_t offset, uint64_t size) {
  if (!lasts_at_once(descriptor) || lies_) return;
  // What others wrote there before and did not flush goes along: it is one page of the disk.
  for (uint64_t page = offset / page_bytes; page < pages_of(offset + size); ++page) before_.erase(page);
  flushed_size_ = std::max(flushed_size_, offset + size);
}

void WatchedFile::on_flush() {
  if (lies_) return;
  before_.clear();
  struct stat facts {};
  if (::fstat(descriptor_, &facts) == 0) flushed_size_ = static_cast<uint64_t>(facts.st_size);
}

void WatchedFile::on_truncate(uint64_t size) {
  for (uint64_t page = size / page_bytes; page < pages_of(flushed_size_); ++page) {
    if (!before_.contains(page)) before_.emplace(page, read_page(page));
  }
}

void WatchedFile::write_survivors(const std::filesystem::path& to, RandomStream& random) const {
  std::filesystem::copy_file(file_, to, std::filesystem::copy_options::overwrite_existing);
  std::fstream image(to, std::ios::binary | std::ios::in | std::ios::out);
  uint64_t end = flushed_size_;
  for (const auto& [page, before] : before_) {
    const std::string written = read_page(page);
    const uint64_t fate = random.below(8);
    if (fate < 4) {
      if (!written.empty()) end = std::max(end, page * page_bytes + written.size());
      continue;  // it came to the disk by itself
    }
    const uint64_t sectors = fate == 4 ? random.between(1, page_bytes / sector_bytes - 1) : 0;
    if (sectors > 0) end = std::max(end, (page + 1) * page_bytes);
    const std::string kept = torn(before, written, sectors);
    image.seekp(static_cast<std::streamoff>(page * page_bytes));
    image.write(kept.data(), static_cast<std::streamsize>(kept.size()));
  }
  image.close();
  QUADRILLE_CHECK(image.good(), "what a loss of power leaves can be written");
  std::filesystem::resize_file(to, end);
}

}  // namespace quadrille::sim

// The system's calls, of which a watched file takes note. LMDB finds these before those of the C library.

using quadrille::sim::WatchedFile;

namespace {

uint64_t bytes_of(const iovec* pieces, int count) {
  uint64_t bytes = 0;
  for (int i = 0; i < count; ++i) bytes += pieces[i].iov_len;
  return bytes;
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) ssize_t pwrite(int descriptor, const void* bytes, size_t size, off_t offset) {
  auto* watched = WatchedFile::find(descriptor);
  if (watched) {
    watched->before_call();
    watched->before_write(descriptor, static_cast<uint64_t>(offset), size);
  }
  const ssize_t count = ::syscall(SYS_pwrite64, descriptor, bytes, size, offset);
  if (watched && count > 0) {
    watched->after_write(descriptor, static_cast<uint64_t>(offset), static_cast<uint64_t>(count));
  }
  return count;
}

__attribute__((visibility("default"))) ssize_t writev(int descriptor, const iovec* pieces, int piece_count) {
  auto* watched = WatchedFile::find(descriptor);
  const off_t offset = watched ? ::lseek(descriptor, 0, SEEK_CUR) : 0;
  if (watched) {
    watched->before_call();
    watched->before_write(descriptor, static_cast<uint64_t>(offset), bytes_of(pieces, piece_count));
  }
  const ssize_t count = ::syscall(SYS_writev, descriptor, pieces, piece_count);
  if (watched && count > 0) {
    watched->after_write(descriptor, static_cast<uint64_t>(offset), static_cast<uint64_t>(count));
  }
  return count;
}

__attribute__((visibility("default"))) int ftruncate(int descriptor, off_t size) noexcept {
  if (auto* watched = WatchedFile::find(descriptor)) watched->on_truncate(static_cast<uint64_t>(size));
  return static_cast<int>(::syscall(SYS_ftruncate, descriptor, size));
}

__attribute__((visibility("default"))) int fdatasync(int descriptor) {
  auto* watched = WatchedFile::find(descriptor);
  if (!watched) return static_cast<int>(::syscall(SYS_fdatasync, descriptor));
  watched->before_call();
  watched->on_flush();
  return 0;  // nothing of a simulation has to last
}

__attribute__((visibility("default"))) int fsync(int descriptor) {
  auto* watched = WatchedFile::find(descriptor);
  if (!watched) return static_cast<int>(::syscall(SYS_fsync, descriptor));
  watched->before_call();
  watched->on_flush();
  return 0;
}

}  // extern "C"
