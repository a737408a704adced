// Takes connections from other sites over TCP.
#pragma once

#include <kj/async-io.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "engine/base/result.h"

namespace asio {
class io_context;
}

namespace quadrille::replica {

class AsioListener {
 public:
  // Called with a connection, and the address that it comes from, without the port.
  using Accepted = std::function<void(kj::Own<kj::AsyncIoStream>, const std::string& from)>;

  // `address` is "HOST:PORT"; port 0 takes a free one. `accepted` is called on the loop for each connection; it must
  // not throw. Busy: somebody else listens there.
  static base::Result<std::unique_ptr<AsioListener>> listen(asio::io_context& io, const std::string& address,
                                                            Accepted accepted);
  ~AsioListener();  // `accepted` is not called any more

  uint16_t port() const;
  bool is_loopback() const;  // only this machine reaches it

 private:
  struct Acceptor;
  explicit AsioListener(std::shared_ptr<Acceptor> acceptor);

  std::shared_ptr<Acceptor> acceptor_;  // shared with the handler that waits for the next connection
};

}  // namespace quadrille::replica
