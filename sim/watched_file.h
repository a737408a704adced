// What a loss of power does to a file of LMDB: the simulator stands between LMDB and the system, and knows of each page
// whether it was flushed.
//
// This program has pwrite, writev, ftruncate, fdatasync and fsync of its own (watched_file.cc): the system's, which
// take note where the file is a watched one. So it is process-wide, as descriptors are; single-threaded.
//
// Modelled, in pages of 4096 bytes:
//   - a write is in the file at once, for all that read it, and lasts only once a flush of that file (fdatasync, fsync)
//     was asked for after it, or if its descriptor was opened with O_DSYNC or O_SYNC, as that of LMDB's meta
//     pages is: then it lasts when it returns, and makes nothing else last;
//   - a loss of power comes between two of these calls. Each page that was not flushed is then, by chance and each by
//   itself: as it was when last flushed; as it was written; or torn, the first
//     so many sectors of 512 bytes as they were written, the others as they were;
//   - a file that had grown ends where the last page does that was kept.
// Not modelled: loss of what was flushed, of the file itself or of its directory; writes through the map (LMDB is not
// asked for MDB_WRITEMAP).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "sim/random_stream.h"

namespace quadrille::sim {

class WatchedFile {
 public:
  // The file exists, and all of it counts as flushed.
  explicit WatchedFile(const std::filesystem::path& file);
  ~WatchedFile();
  WatchedFile(const WatchedFile&) = delete;
  WatchedFile& operator=(const WatchedFile&) = delete;

  // The disk says that it has flushed, and has not: a fault to be found.
  void set_lies(bool lies) noexcept { lies_ = lies; }
  size_t unflushed_pages() const noexcept { return before_.size(); }
  uint64_t calls() const noexcept { return calls_; }  // of the kinds above, on this file

  // What the file is after a loss of power now, written to `to`.
  void write_survivors(const std::filesystem::path& to, RandomStream& random) const;
  // Once so many more calls have come in, and before the next one, `fail` is called, once. 0: before the next one.
  void fail_after(uint64_t calls, std::function<void()> fail);
  void fail_now() { std::exchange(fail_, nullptr)(); }  // requires that it was to fail

  // Of the interposed calls.
  static WatchedFile* find(int descriptor);
  void before_call();
  void before_write(int descriptor, uint64_t offset, uint64_t size);
  void after_write(int descriptor, uint64_t offset, uint64_t size);
  void on_flush();
  void on_truncate(uint64_t size);

 private:
  std::string read_page(uint64_t page) const;

  std::filesystem::path file_;
  int descriptor_ = -1;  // ours, to read from
  uint64_t device_ = 0;
  uint64_t inode_ = 0;
  std::map<uint64_t, std::string> before_;  // by page, of those that are not flushed: what it was; empty: not there
  uint64_t flushed_size_ = 0;
  uint64_t calls_ = 0;
  uint64_t calls_left_ = 0;
  std::function<void()> fail_;
  bool lies_ = false;
};

}  // namespace quadrille::sim
