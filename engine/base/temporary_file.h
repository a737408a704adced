// Temporary files of a directory that have no name there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/scratch.h"

namespace quadrille::base {

// Gone when it is closed, and when the process ends, however it ends.
class TemporaryFile final : public ScratchFile {
 public:
  // `whose` ("load", "query") is for messages, and for the name that the file has for a moment where a file system has
  // no files without one. Throws StorageError.
  TemporaryFile(const std::filesystem::path& directory, std::string_view whose);
  ~TemporaryFile() override;
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void append(std::string_view bytes) override;
  void read(uint64_t offset, std::span<char> room) const override;
  uint64_t size() const noexcept override { return size_; }

  // For who writes through it from the beginning, where nothing was appended. Then note_size().
  int descriptor() const noexcept { return descriptor_; }
  void note_size();

 private:
  [[noreturn]] void fail(const char* what, int code) const;
  std::string whose_;
  std::string name_;  // for messages
  int descriptor_ = -1;
  uint64_t size_ = 0;
};

class TemporaryFiles final : public ScratchPlace {
 public:
  TemporaryFiles(std::filesystem::path directory, std::string whose)
      : directory_(std::move(directory)), whose_(std::move(whose)) {}
  std::unique_ptr<ScratchFile> make_file() override { return std::make_unique<TemporaryFile>(directory_, whose_); }

 private:
  std::filesystem::path directory_;
  std::string whose_;
};

}  // namespace quadrille::base
