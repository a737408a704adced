// What the programs that measure a store share.
#pragma once

#include <stdlib.h>
#include <time.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>

#include "engine/base/check.h"
#include "engine/base/clock.h"

namespace quadrille::bench {

// The same blank nodes in each run.
class FixedBits final : public base::RandomSource {
 public:
  uint64_t next() override { return 42; }
};

// A new directory, gone with all that is in it when this ends.
class ScratchDirectory {
 public:
  // In the directory for temporary files, or in `parent`, which must be there.
  ScratchDirectory() : ScratchDirectory(std::filesystem::temp_directory_path()) {}
  explicit ScratchDirectory(const std::filesystem::path& parent) {
    std::string pattern = (parent / "quadrille-bench-XXXXXX").string();
    QUADRILLE_CHECK(::mkdtemp(pattern.data()) != nullptr, "a directory for temporary files is needed");
    path_ = pattern;
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

// Processor time of this thread: other work on the machine disturbs it least.
class Stopwatch {
 public:
  double seconds() const { return now() - start_; }

 private:
  static double now() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }
  double start_ = now();
};

}  // namespace quadrille::bench
