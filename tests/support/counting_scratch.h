// A scratch place in memory that says what is left in it, and that can be full.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "engine/base/result.h"
#include "engine/base/scratch.h"

namespace quadrille::test {

class CountingScratch final : public base::ScratchPlace {
 public:
  std::unique_ptr<base::ScratchFile> make_file() override { return std::make_unique<File>(*this); }

  size_t open_files = 0;
  uint64_t bytes_now = 0;
  uint64_t bytes_most = 0;
  uint64_t written = 0;  // all in all
  uint64_t capacity = UINT64_MAX;

 private:
  class File final : public base::ScratchFile {
   public:
    explicit File(CountingScratch& place) : place_(place) { ++place_.open_files; }
    ~File() override {
      --place_.open_files;
      place_.bytes_now -= bytes_.size();
    }
    void append(std::string_view bytes) override {
      if (place_.bytes_now + bytes.size() > place_.capacity) {
        throw base::StorageError({base::ErrorKind::ResourceExhausted, "the disk is full", {}});
      }
      bytes_ += bytes;
      place_.bytes_now += bytes.size();
      place_.written += bytes.size();
      place_.bytes_most = std::max(place_.bytes_most, place_.bytes_now);
    }
    void read(uint64_t offset, std::span<char> room) const override {
      QUADRILLE_CHECK(offset + room.size() <= bytes_.size(), "read behind the end of a scratch file");
      std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), room.size(), room.begin());
    }
    uint64_t size() const noexcept override { return bytes_.size(); }

   private:
    CountingScratch& place_;
    std::string bytes_;
  };
};

}  // namespace quadrille::test
