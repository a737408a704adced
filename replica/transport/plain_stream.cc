#include "replica/transport/plain_stream.h"

#include <kj/exception.h>

#include <utility>

#include "replica/transport/wire_marks.h"

namespace quadrille::replica {
namespace {

class PlainStream final : public kj::AsyncIoStream {
 public:
  explicit PlainStream(kj::Own<kj::AsyncIoStream> network) : network_(kj::mv(network)) {}

  kj::Promise<size_t> tryRead(void* buffer, size_t min_bytes, size_t max_bytes) override {
    auto reading = network_->tryRead(buffer, min_bytes, max_bytes);
    if (has_heard_) return reading;
    return reading.then([this, bytes = static_cast<const kj::byte*>(buffer)](size_t count) -> kj::Promise<size_t> {
      if (count == 0 || std::exchange(has_heard_, true) || !is_tls_record(bytes[0])) return count;
      return speaks_tls();
    });
  }
  kj::Promise<void> write(const void* buffer, size_t size) override { return explained(network_->write(buffer, size)); }
  kj::Promise<void> write(kj::ArrayPtr<const kj::ArrayPtr<const kj::byte>> pieces) override {
    return explained(network_->write(pieces));
  }
  kj::Promise<void> whenWriteDisconnected() override { return network_->whenWriteDisconnected(); }
  void shutdownWrite() override { network_->shutdownWrite(); }
  void abortRead() override { network_->abortRead(); }

 private:
  static kj::Exception speaks_tls() {
    return kj::Exception(
        kj::Exception::Type::DISCONNECTED, __FILE__, __LINE__,
        kj::str("it speaks TLS, and this site does not; expected [sync.tls] in both configurations, or in none"));
  }

  // Who is hung up on may be about to write still: what the other side said last is there to be read.
  kj::Promise<void> explained(kj::Promise<void> writing) {
    if (has_heard_) return writing;
    return writing.catch_([this](kj::Exception&& failure) -> kj::Promise<void> {
      auto byte = kj::heap<kj::byte>();
      auto reading = network_->tryRead(byte.get(), 1, 1);
      return reading.catch_([](kj::Exception&&) { return size_t{0}; })
          .then([byte = kj::mv(byte), failure = kj::mv(failure)](size_t count) mutable -> kj::Promise<void> {
            return count == 1 && is_tls_record(*byte) ? speaks_tls() : kj::mv(failure);
          });
    });
  }

  kj::Own<kj::AsyncIoStream> network_;
  bool has_heard_ = false;
};

}  // namespace

kj::Own<kj::AsyncIoStream> make_plain(kj::Own<kj::AsyncIoStream> network) {
  return kj::heap<PlainStream>(kj::mv(network));
}

}  // namespace quadrille::replica
