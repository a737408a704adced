// Reaches other sites over TCP.
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
  kj::Promise<kj::Own<kj::AsyncIoStream>> dial(const std::string& address) override;

 private:
  asio::io_context& io_;
};

}  // namespace quadrille::replica
