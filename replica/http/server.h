// An HTTP/1.1 server: sockets, TLS, threads and the wire format. http-parser reads requests, on Asio; it gathers small
// bodies in memory and larger ones in a file, so that neither their size nor their number is memory. One request of a
// connection is answered at a time; what the client sends ahead waits.
//
// Who is slow, sends nonsense, or too much of it, is answered once and then dropped:
//   400 no HTTP    408 slow    413 body    414 URL    417 Expect    431 headers    501 method    505 version
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "engine/base/result.h"
#include "replica/http/message.h"

namespace quadrille::http {

struct ServerTimes {
  int head_ms = 10'000;   // from a request's first byte, or the connection's start, to the end of its head
  int idle_ms = 120'000;  // between requests
  // A body may take so long, and a second more for each KiB that has come. An answer's bytes must be taken within it.
  int slow_ms = 30'000;
  int goodbye_ms = 2'000;  // after a last answer, for the client to read it
};

struct TlsIdentity {
  std::filesystem::path certificate;  // PEM, with those between it and the CA
  std::filesystem::path key;          // PEM, without a password
};

struct ServerOptions {
  std::string host = "127.0.0.1";  // a name or an address
  uint16_t port = 0;               // 0: any free one
  // The bytes that the body of such a request may have, by its head; null: 1 GiB.
  std::function<uint64_t(const Request&)> body_bytes_max = nullptr;
  size_t body_bytes_in_memory = size_t{1} << 20;  // of each body; a larger one goes to a file
  std::filesystem::path body_directory = ".";     // where such files are made; they have no name there
  size_t head_bytes_max = size_t{64} << 10;       // of the headers; as much again for the URL
  unsigned io_threads = 2;
  unsigned connections_max = 1000;  // another one takes the place of the one that has been idle longest
  ServerTimes times;
  std::unique_ptr<TlsIdentity> tls;  // null: plain
};

struct ServerCounts {
  uint64_t connections = 0;           // open now
  uint64_t connections_accepted = 0;  // ever
  uint64_t connections_dropped = 0;   // because they were slow, or one too many
  uint64_t bytes_received = 0;
  uint64_t bytes_sent = 0;
};

class Server {
 public:
  // Listens when it returns. `handler` is called on one of the server's threads, soon to return: what takes time goes
  // elsewhere and answers later. Busy: the port is in use. InvalidInput: no such host, or no such certificate.
  static base::Result<std::unique_ptr<Server>> start(ServerOptions options, Handler handler);
  virtual ~Server() = default;  // as stop(), without patience

  virtual uint16_t port() const = 0;
  virtual bool is_loopback() const = 0;
  virtual ServerCounts counts() const = 0;  // from any thread
  // Reads the certificate and its key again, for connections from now on; with an error those from before stay. From
  // any thread.
  virtual base::Result<void> reload_certificate() = 0;
  // Takes no more connections, waits that long at most for answers under way, and closes all connections.
  virtual void stop(int patience_ms) = 0;
};

}  // namespace quadrille::http
