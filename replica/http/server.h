// An HTTP server: sockets, threads and the wire format (RESTinio on standalone Asio).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/base/result.h"
#include "replica/http/message.h"

namespace quadrille::http {

struct ServerOptions {
  std::string host = "127.0.0.1";               // a name or an address
  uint16_t port = 0;                            // 0: any free one
  uint64_t body_bytes_max = uint64_t{1} << 30;  // a larger body is answered 413; far larger ones break the connection
  unsigned io_threads = 2;
  unsigned connections_max = 1000;
};

class Server {
 public:
  // Listens when it returns. `handler` is called on one of the server's threads, soon to return: what takes time goes
  // elsewhere and answers later. Busy: the port is in use. InvalidInput: no such host.
  static base::Result<std::unique_ptr<Server>> start(const ServerOptions& options, Handler handler);
  virtual ~Server() = default;  // as stop(), without patience

  virtual uint16_t port() const = 0;
  // Takes no more connections, waits that long at most for answers under way, and closes all connections.
  virtual void stop(int patience_ms) = 0;
};

}  // namespace quadrille::http
