#include "replica/transport/tls_stream.h"

#include <kj/debug.h>
#include <kj/exception.h>
#include <openssl/err.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/check.h"
#include "replica/transport/tls_failure.h"
#include "replica/transport/wire_marks.h"

namespace quadrille::replica {
namespace {

using Bytes = kj::ArrayPtr<const kj::byte>;

constexpr size_t network_read_bytes = 64 * 1024;
constexpr size_t record_bytes = 16 * 1024;          // the most that one TLS record carries
constexpr size_t network_write_bytes = 256 * 1024;  // encrypted ahead of the network
constexpr kj::byte let_in = 1;

kj::Exception disconnected(const std::string& why) {
  return kj::Exception(kj::Exception::Type::DISCONNECTED, __FILE__, __LINE__, kj::heapString(why.c_str()));
}

class TlsStream final : public kj::AsyncIoStream {
 public:
  TlsStream(kj::Own<kj::AsyncIoStream> network, SslHandle ssl, TlsRole role, IsMember is_member)
      : network_(kj::mv(network)),
        role_(role),
        is_member_(std::move(is_member)),
        ssl_(std::move(ssl)),
        read_buffer_(kj::heapArray<kj::byte>(network_read_bytes)) {
    from_network_ = BIO_new(BIO_s_mem());
    to_network_ = BIO_new(BIO_s_mem());
    QUADRILLE_CHECK(ssl_ && from_network_ && to_network_, "OpenSSL has no memory");
    BIO_set_mem_eof_return(from_network_, -1);            // empty is not the end
    SSL_set_bio(ssl_.get(), from_network_, to_network_);  // owns them from now on
    SSL_set_app_data(ssl_.get(), this);
    SSL_set_verify(ssl_.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, on_verify);
    if (role_ == TlsRole::Caller) {
      SSL_set_connect_state(ssl_.get());
    } else {
      SSL_set_accept_state(ssl_.get());
    }
  }

  const std::string& certified_site() const noexcept { return certified_site_; }

  kj::Promise<void> shake_hands() {
    ERR_clear_error();
    const int result = SSL_do_handshake(ssl_.get());
    if (result == 1) return flush().then([this] { return role_ == TlsRole::Listener ? welcome() : await_welcome(); });
    if (SSL_get_error(ssl_.get(), result) == SSL_ERROR_WANT_READ) {
      return flush().then([this] { return fill(); }).then([this]() -> kj::Promise<void> {
        if (is_at_end_) return disconnected(hung_up());
        if (speaks_no_tls()) return refuse_plain_text();
        return shake_hands();
      });
    }
    return fail();
  }

  kj::Promise<size_t> tryRead(void* buffer, size_t min_bytes, size_t max_bytes) override {
    return read_from(static_cast<kj::byte*>(buffer), min_bytes, max_bytes, 0);
  }
  kj::Promise<void> write(const void* buffer, size_t size) override {
    return write_from({Bytes(static_cast<const kj::byte*>(buffer), size)}, 0);
  }
  kj::Promise<void> write(kj::ArrayPtr<const Bytes> pieces) override {
    return write_from(std::vector<Bytes>(pieces.begin(), pieces.end()), 0);
  }
  kj::Promise<void> whenWriteDisconnected() override { return network_->whenWriteDisconnected(); }
  void shutdownWrite() override {
    ERR_clear_error();
    SSL_shutdown(ssl_.get());
    closing_ = flush().then([this] { network_->shutdownWrite(); }).eagerlyEvaluate([](kj::Exception&&) {});
  }
  void abortRead() override { network_->abortRead(); }

 private:
  // OpenSSL has found the chain good up to this certificate; the peer's own comes last.
  static int on_verify(int is_good, X509_STORE_CTX* chain) {
    if (is_good != 1 || X509_STORE_CTX_get_error_depth(chain) != 0) return is_good;
    auto* ssl = static_cast<SSL*>(X509_STORE_CTX_get_ex_data(chain, SSL_get_ex_data_X509_STORE_CTX_idx()));
    auto& stream = *static_cast<TlsStream*>(SSL_get_app_data(ssl));
    auto member = member_of(X509_STORE_CTX_get_current_cert(chain), stream.is_member_);
    if (member.ok()) {
      stream.certified_site_ = std::move(member).value();
      return 1;
    }
    stream.refusal_ = "its certificate " + member.error().message;
    X509_STORE_CTX_set_error(chain, X509_V_ERR_APPLICATION_VERIFICATION);
    return 0;
  }

  const char* hung_up() const {
    if (role_ == TlsRole::Listener) return "it hung up during the TLS handshake";
    return has_heard_ ? "it hung up during the TLS handshake, perhaps because it refuses this site's certificate"
                      : "it hung up at the TLS handshake; does it speak TLS?";
  }

  // The first byte that has come is not one that a TLS connection begins with.
  bool speaks_no_tls() {
    if (std::exchange(has_heard_, true)) return false;
    char* data = nullptr;
    const long size = BIO_get_mem_data(from_network_, &data);
    return size > 0 && !is_tls_record(static_cast<kj::byte>(data[0]));
  }
  // With an alert, by which a plain peer knows what it has met (plain_stream.h).
  kj::Promise<void> refuse_plain_text() {
    auto told = role_ == TlsRole::Listener ? network_->write(no_tls_alert.data(), no_tls_alert.size())
                                           : kj::Promise<void>(kj::READY_NOW);
    return told.catch_([](kj::Exception&&) {}).then([]() -> kj::Promise<void> {
      return disconnected("it does not speak TLS; expected a TLS connection");
    });
  }

  // OpenSSL has left an alert for the peer.
  kj::Promise<void> fail() {
    auto why = refusal_.empty() ? describe_tls_failure(ssl_.get()) : refusal_;
    ERR_clear_error();
    return flush().catch_([](kj::Exception&&) {}).then([why = std::move(why)]() -> kj::Promise<void> {
      return disconnected(why);
    });
  }

  kj::Promise<void> welcome() { return write(&let_in, 1); }
  kj::Promise<void> await_welcome() {
    auto answer = kj::heap<kj::byte>();
    auto* into = answer.get();
    return tryRead(into, 1, 1).then([this, answer = kj::mv(answer)](size_t count) -> kj::Promise<void> {
      if (count == 0) return disconnected(hung_up());
      if (*answer != let_in) return disconnected("it speaks TLS, but is no site of a cluster");
      return kj::READY_NOW;
    });
  }

  // Takes what the network has into memory. One at a time; whoever needs more waits for it.
  kj::Promise<void> fill() {
    if (!is_filling_) {
      is_filling_ = true;
      filled_ = network_->tryRead(read_buffer_.begin(), 1, read_buffer_.size())
                    .then(
                        [this](size_t count) {
                          is_filling_ = false;
                          is_at_end_ = count == 0;
                          BIO_write(from_network_, read_buffer_.begin(), static_cast<int>(count));
                        },
                        [this](kj::Exception&& exception) {
                          is_filling_ = false;
                          is_at_end_ = true;
                          kj::throwFatalException(kj::mv(exception));
                        })
                    .fork();
    }
    return KJ_ASSERT_NONNULL(filled_).addBranch();
  }

  // Done when all that OpenSSL has for the network is written. One at a time, too.
  kj::Promise<void> flush() {
    if (is_flushing_) {
      return KJ_ASSERT_NONNULL(flushed_).addBranch().then([this] { return flush(); });
    }
    const size_t size = BIO_ctrl_pending(to_network_);
    if (size == 0) return kj::READY_NOW;
    if (unsent_.size() < size) unsent_.resize(size);
    BIO_read(to_network_, unsent_.data(), static_cast<int>(size));
    is_flushing_ = true;
    auto fork = network_->write(unsent_.data(), size)
                    .then([this] { is_flushing_ = false; },
                          [this](kj::Exception&& exception) {
                            is_flushing_ = false;
                            kj::throwFatalException(kj::mv(exception));
                          })
                    .fork();
    auto done = fork.addBranch();
    flushed_ = kj::mv(fork);
    return done;
  }

  // OpenSSL may have something to say of its own, as when keys are changed. Nobody waits for it: a reader that waited
  // for writes would stop for ever beside a peer that does the same.
  void say_what_is_left() {
    if (BIO_ctrl_pending(to_network_) > 0) saying_ = flush().eagerlyEvaluate([](kj::Exception&&) {});
  }

  kj::Promise<size_t> read_from(kj::byte* buffer, size_t min_bytes, size_t max_bytes, size_t already) {
    while (already < min_bytes) {
      ERR_clear_error();
      size_t count = 0;
      const int result = SSL_read_ex(ssl_.get(), buffer + already, max_bytes - already, &count);
      already += count;
      if (result == 1) continue;
      const int error = SSL_get_error(ssl_.get(), result);
      if (error == SSL_ERROR_ZERO_RETURN) return already;
      if (error != SSL_ERROR_WANT_READ) return disconnected(describe_tls_failure(ssl_.get()));
      if (is_at_end_) return already;
      say_what_is_left();
      return fill().then([=, this] { return read_from(buffer, min_bytes, max_bytes, already); });
    }
    return already;
  }

  // `pieces` from `first` on are yet to be written.
  kj::Promise<void> write_from(std::vector<Bytes> pieces, size_t first) {
    while (first < pieces.size() && BIO_ctrl_pending(to_network_) < network_write_bytes) {
      if (pieces[first].size() >= record_bytes) {
        if (!encrypt(pieces[first].slice(0, record_bytes))) return disconnected(describe_tls_failure(ssl_.get()));
        pieces[first] = pieces[first].slice(record_bytes, pieces[first].size());
      } else if (!encrypt(gather(pieces, first))) {
        return disconnected(describe_tls_failure(ssl_.get()));
      }
    }
    auto flushed = flush();
    if (first == pieces.size()) return flushed;
    return flushed.then([this, first, rest = kj::mv(pieces)]() mutable { return write_from(kj::mv(rest), first); });
  }

  // A record's worth of small pieces in one: each record costs its own header and checksum.
  Bytes gather(std::vector<Bytes>& pieces, size_t& first) {
    size_t size = 0;
    for (; first < pieces.size() && size < record_.size();) {
      const size_t part = std::min(record_.size() - size, pieces[first].size());
      if (part > 0) std::memcpy(record_.data() + size, pieces[first].begin(), part);
      size += part;
      pieces[first] = pieces[first].slice(part, pieces[first].size());
      if (pieces[first].size() == 0) ++first;
    }
    return {record_.data(), size};
  }

  // Memory takes all of it.
  bool encrypt(Bytes bytes) {
    ERR_clear_error();
    size_t written = 0;
    return bytes.size() == 0 ||
           (SSL_write_ex(ssl_.get(), bytes.begin(), bytes.size(), &written) == 1 && written == bytes.size());
  }

  kj::Own<kj::AsyncIoStream> network_;
  const TlsRole role_;
  IsMember is_member_;
  SslHandle ssl_;
  BIO* from_network_ = nullptr;  // both are ssl_'s
  BIO* to_network_ = nullptr;
  std::string certified_site_;
  std::string refusal_;  // why its certificate is none of a member's
  bool has_heard_ = false;

  kj::Array<kj::byte> read_buffer_;
  std::vector<char> unsent_;  // its first bytes, while something is flushed
  std::array<kj::byte, record_bytes> record_;
  bool is_filling_ = false;
  bool is_flushing_ = false;
  bool is_at_end_ = false;
  // Last: they go first.
  kj::Maybe<kj::ForkedPromise<void>> filled_;
  kj::Maybe<kj::ForkedPromise<void>> flushed_;
  kj::Promise<void> saying_ = nullptr;
  kj::Promise<void> closing_ = nullptr;
};

}  // namespace

kj::Promise<sync::Connection> make_tls(kj::Own<kj::AsyncIoStream> plain, SslHandle ssl, TlsRole role,
                                       IsMember is_member) {
  auto stream = kj::heap<TlsStream>(kj::mv(plain), std::move(ssl), role, std::move(is_member));
  auto& shaking = *stream;
  return shaking.shake_hands().then([stream = kj::mv(stream)]() mutable {
    std::string site = stream->certified_site();
    return sync::Connection(kj::mv(stream), std::move(site));
  });
}

}  // namespace quadrille::replica
