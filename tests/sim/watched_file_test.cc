// What a loss of power leaves of a file.
#include "sim/watched_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "engine/store/environment.h"
#include "sim/seed_runner.h"

namespace quadrille::sim {
namespace {

constexpr size_t page_bytes = 4096;

class Directory {
 public:
  Directory() : path_(make_work_directory()) {}
  ~Directory() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string read_all(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Two pages, of 'a' and of 'b', as flushed.
class TwoPages {
 public:
  TwoPages() {
    std::ofstream(file(), std::ios::binary) << std::string(page_bytes, 'a') << std::string(page_bytes, 'b');
    watched_ = std::make_unique<WatchedFile>(file());
  }
  std::filesystem::path file() const { return directory_.path() / "pages"; }
  WatchedFile& watched() { return *watched_; }
  void write(size_t page, char what, int flags = 0) {
    const int descriptor = ::open(file().c_str(), O_WRONLY | flags);
    const std::string bytes(page_bytes, what);
    REQUIRE(::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(page * page_bytes)) == page_bytes);
    ::close(descriptor);
  }
  void flush() {
    const int descriptor = ::open(file().c_str(), O_WRONLY);
    REQUIRE(::fdatasync(descriptor) == 0);
    ::close(descriptor);
  }
  // What may be left, over many losses: the first letter and the last one of each page.
  std::set<std::string> survivors() {
    std::set<std::string> found;
    RandomStream random(1, "power");
    for (int i = 0; i < 200; ++i) {
      const auto left = directory_.path() / "left";
      watched().write_survivors(left, random);
      const std::string bytes = read_all(left);
      std::string letters;
      for (size_t page = 0; page * page_bytes < bytes.size(); ++page) {
        letters += bytes[page * page_bytes];
        letters += bytes[std::min(bytes.size(), (page + 1) * page_bytes) - 1];
      }
      found.insert(letters);
    }
    return found;
  }

 private:
  Directory directory_;
  std::unique_ptr<WatchedFile> watched_;
};

TEST_CASE("a page that was written and not flushed is as it was, as it was written, or torn") {
  TwoPages pages;
  pages.write(1, 'x');
  CHECK(pages.watched().unflushed_pages() == 1);
  CHECK(pages.survivors() == std::set<std::string>{"aabb", "aaxx", "aaxb"});
}

TEST_CASE("what was flushed is there after a loss of power") {
  TwoPages pages;
  pages.write(0, 'x');
  pages.write(1, 'y');
  pages.flush();
  CHECK(pages.survivors() == std::set<std::string>{"xxyy"});
}

TEST_CASE("a write by O_DSYNC lasts at once, and makes nothing else last") {
  TwoPages pages;
  pages.write(1, 'x');
  pages.write(0, 'm', O_DSYNC);
  CHECK(pages.survivors() == std::set<std::string>{"mmbb", "mmxx", "mmxb"});
}

TEST_CASE("a disk that lies flushes nothing") {
  TwoPages pages;
  pages.watched().set_lies(true);
  pages.write(0, 'x');
  pages.flush();
  pages.write(1, 'm', O_DSYNC);
  CHECK(pages.survivors().contains("aabb"));
}

TEST_CASE("pages behind the old end are there or not") {
  TwoPages pages;
  pages.write(2, 'x');
  const auto left = pages.survivors();
  CHECK(left.contains("aabb"));
  CHECK(left.contains("aabbxx"));
}

// One commit of LMDB, with power lost after so many of its calls. How many rows are left; -1: it made fewer calls.
int rows_after_loss(uint64_t calls) {
  constexpr int rows = 300;
  const Directory directory;
  const auto lost = directory.path() / "lost";
  std::filesystem::create_directories(directory.path() / "store");
  std::filesystem::create_directories(lost);
  bool has_failed = false;
  {
    store::EnvironmentOptions options;
    options.map_bytes = uint64_t{1} << 28;
    store::Environment environment(directory.path() / "store", options);
    const auto table = environment.open_table("t");
    WatchedFile watched(environment.file());
    RandomStream random(calls, "power");
    watched.fail_after(calls, [&]() {
      has_failed = true;
      watched.write_survivors(lost / "data.mdb", random);
    });
    store::WriteTransaction transaction(environment);
    for (int i = 0; i < rows; ++i) transaction.put(table, "key " + std::to_string(i), std::string(200, 'v'));
    transaction.commit();
    CHECK(watched.unflushed_pages() == 0);
    CHECK(watched.calls() >= 3);
  }
  if (!has_failed) return -1;
  store::EnvironmentOptions options;
  options.map_bytes = uint64_t{1} << 28;
  store::Environment environment(lost, options);
  const auto table = environment.open_table("t");
  store::ReadTransaction transaction(environment);
  const auto left = transaction.row_count(table);
  CHECK((left == 0 || left == rows));
  return static_cast<int>(left);
}

TEST_CASE("wherever in a commit power is lost, LMDB's file has all of it or nothing") {
  uint64_t calls = 0;
  for (; rows_after_loss(calls) >= 0; ++calls) {
  }
  // The last call is the one that writes the meta page: before it the commit is not there.
  CHECK(calls >= 3);
}

}  // namespace
}  // namespace quadrille::sim
