// A stream that counts what passes through it, and remembers why it failed.
#pragma once

#include <kj/async-io.h>

#include <cstdint>
#include <string>

namespace quadrille::sync {

class CountingStream final : public kj::AsyncIoStream {
 public:
  explicit CountingStream(kj::Own<kj::AsyncIoStream> inner) : inner_(kj::mv(inner)) {}

  uint64_t bytes_read() const noexcept { return bytes_read_; }
  uint64_t bytes_written() const noexcept { return bytes_written_; }  // or about to be

  // Why reading or writing failed first, if it did.
  const std::string& failure() const noexcept { return failure_; }

  kj::Promise<size_t> tryRead(void* buffer, size_t min_bytes, size_t max_bytes) override {
    return inner_->tryRead(buffer, min_bytes, max_bytes)
        .then(
            [this](size_t count) {
              bytes_read_ += count;
              return count;
            },
            [this](kj::Exception&& exception) -> size_t {
              note(exception);
              kj::throwFatalException(kj::mv(exception));
            });
  }
  kj::Promise<void> write(const void* buffer, size_t size) override {
    bytes_written_ += size;
    return noted(inner_->write(buffer, size));
  }
  kj::Promise<void> write(kj::ArrayPtr<const kj::ArrayPtr<const kj::byte>> pieces) override {
    for (const auto& piece : pieces) bytes_written_ += piece.size();
    return noted(inner_->write(pieces));
  }
  kj::Promise<void> whenWriteDisconnected() override { return inner_->whenWriteDisconnected(); }
  void shutdownWrite() override { inner_->shutdownWrite(); }
  void abortRead() override { inner_->abortRead(); }

 private:
  void note(const kj::Exception& exception) {
    if (failure_.empty()) failure_ = exception.getDescription().cStr();
  }
  kj::Promise<void> noted(kj::Promise<void> writing) {
    return writing.catch_([this](kj::Exception&& exception) {
      note(exception);
      kj::throwFatalException(kj::mv(exception));
    });
  }

  kj::Own<kj::AsyncIoStream> inner_;
  uint64_t bytes_read_ = 0;
  uint64_t bytes_written_ = 0;
  std::string failure_;
};

}  // namespace quadrille::sync
