// The body of a request as it comes in: in memory while it is small, then in a file without a name, which is read as
// memory (mmap). One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace quadrille::http {

class RequestBody {
 public:
  RequestBody(size_t bytes_in_memory, std::filesystem::path directory)
      : bytes_in_memory_(bytes_in_memory), directory_(std::move(directory)) {}
  ~RequestBody();
  RequestBody(const RequestBody&) = delete;
  RequestBody& operator=(const RequestBody&) = delete;

  // ResourceExhausted: the disk is full. IoFailure: no file can be made there.
  base::Result<void> append(std::string_view bytes);
  uint64_t size() const noexcept { return size_; }
  // All of it, once there will be no more. Valid as long as this.
  base::Result<std::string_view> view();

 private:
  base::Result<void> write_pending();

  const size_t bytes_in_memory_;
  const std::filesystem::path directory_;
  std::string pending_;  // all, or what is not in the file yet
  uint64_t size_ = 0;
  int file_ = -1;
  void* mapped_ = nullptr;
};

}  // namespace quadrille::http
