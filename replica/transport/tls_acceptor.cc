#include "replica/transport/tls_acceptor.h"

#include <fmt/format.h>
#include <kj/exception.h>

#include <utility>

#include "replica/transport/tls_stream.h"

namespace quadrille::replica {

TlsAcceptor::TlsAcceptor(Parts parts) : parts_(std::move(parts)), tasks_(*this) {}
TlsAcceptor::~TlsAcceptor() noexcept = default;

void TlsAcceptor::accept(kj::Own<kj::AsyncIoStream> network, const std::string& from) {
  if (handshakes_.size() >= parts_.handshakes_max) {
    const auto oldest = handshakes_.begin();
    refuse(oldest->second.from,
           fmt::format("hung up on: {} others have not ended their TLS handshakes either", parts_.handshakes_max));
    handshakes_.erase(oldest);
  }
  const uint64_t number = ++last_number_;
  auto shaken = make_tls(kj::mv(network), parts_.certificates.new_connection(), TlsRole::Listener, parts_.is_member);
  auto late = parts_.timer.afterDelay(parts_.handshake_ms_max * kj::MILLISECONDS)
                  .then([ms = parts_.handshake_ms_max]() -> sync::Connection {
                    kj::throwFatalException(
                        kj::Exception(kj::Exception::Type::DISCONNECTED, __FILE__, __LINE__,
                                      kj::heapString(fmt::format("no TLS handshake within {} ms", ms).c_str())));
                  });
  auto promise = shaken.exclusiveJoin(kj::mv(late))
                     .then(
                         [this, number](sync::Connection connection) {
                           end(number);
                           parts_.accepted(kj::mv(connection));
                         },
                         [this, number, from](kj::Exception&& exception) {
                           end(number);
                           refuse(from, exception.getDescription().cStr());
                         })
                     .eagerlyEvaluate(nullptr);
  handshakes_.emplace(number, Handshake{from, kj::mv(promise)});
}

// Later: a promise must not be destroyed by its own continuation.
void TlsAcceptor::end(uint64_t number) {
  tasks_.add(kj::evalLater([this, number] { handshakes_.erase(number); }));
}

void TlsAcceptor::refuse(const std::string& from, const std::string& why) {
  parts_.on_refused(fmt::format("a caller from {}: {}", from, why));
}

void TlsAcceptor::taskFailed(kj::Exception&&) {}  // erasing throws nothing

}  // namespace quadrille::replica
