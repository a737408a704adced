// A stream that counts what passes through it.
#pragma once

#include <kj/async-io.h>

#include <cstdint>

namespace quadrille::sync {

class CountingStream final : public kj::AsyncIoStream {
 public:
  explicit CountingStream(kj::Own<kj::AsyncIoStream> inner) : inner_(kj::mv(inner)) {}

  uint64_t bytes_read() const noexcept { return bytes_read_; }
  uint64_t bytes_written() const noexcept { return bytes_written_; }  // or about to be

  kj::Promise<size_t> tryRead(void* buffer, size_t min_bytes, size_t max_bytes) override {
    return inner_->tryRead(buffer, min_bytes, max_bytes).then([this](size_t count) {
      bytes_read_ += count;
      return count;
    });
  }
  kj::Promise<void> write(const void* buffer, size_t size) override {
    bytes_written_ += size;
    return inner_->write(buffer, size);
  }
  kj::Promise<void> write(kj::ArrayPtr<const kj::ArrayPtr<const kj::byte>> pieces) override {
    for (const auto& piece : pieces) bytes_written_ += piece.size();
    return inner_->write(pieces);
  }
  kj::Promise<void> whenWriteDisconnected() override { return inner_->whenWriteDisconnected(); }
  void shutdownWrite() override { inner_->shutdownWrite(); }
  void abortRead() override { inner_->abortRead(); }

 private:
  kj::Own<kj::AsyncIoStream> inner_;
  uint64_t bytes_read_ = 0;
  uint64_t bytes_written_ = 0;
};

}  // namespace quadrille::sync
