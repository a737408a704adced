// Reaches other sites over TCP, without TLS.
#pragma once

#include <string>

#include "sync/sync_node.h"

namespace asio {
class io_context;
}

namespace quadrille::replica {

// Addresses are "HOST:PORT"; a host with several addresses is tried at each. The promise fails with a kj exception of
// type DISCONNECTED that says why; dropping it gives up the attempt.
class AsioDialer final : public sync::Dialer {
 public:
  explicit AsioDialer(asio::io_context& io) : io_(io) {}
  kj::Promise<sync::Connection> dial(const std::string& address) override;
  // The connection as it is, for what is to be put on it. Fails as dial().
  kj::Promise<kj::Own<kj::AsyncIoStream>> connect(const std::string& address);

 private:
  asio::io_context& io_;
};

}  // namespace quadrille::replica
