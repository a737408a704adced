// One kept-alive HTTP connection to a SPARQL endpoint, as lean as it can be: blocking, one request at a time, one
// system call to send, as few as possible to receive. It acknowledges at once (TCP_QUICKACK), so that a server that
// leaves Nagle's algorithm on is not stalled by delayed acknowledgements.
#pragma once

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <string>
#include <string_view>

#include "bench/client/query_list.h"
#include "engine/base/result.h"

namespace quadrille::bench {

// http://HOST[:PORT][/PATH][?PARAMETERS]
struct Endpoint {
  std::string host;
  std::string port;
  std::string target;
};
base::Result<Endpoint> parse_endpoint(std::string_view url);

// A whole request, ready to be sent again and again.
std::string make_request(const Endpoint& endpoint, const BenchQuery& query);

// Belongs to one thread.
class Connection {
 public:
  explicit Connection(const Endpoint& endpoint) : endpoint_(endpoint), socket_(context_) {}

  // Sends and waits for the whole answer. The view is valid until the next call. An answer other than 2xx is an error.
  base::Result<std::string_view> exchange(std::string_view request);

 private:
  void connect();
  void fill();  // throws std::system_error, also at the end of the stream
  size_t find_or_fill(std::string_view what, size_t from);
  base::Result<std::string_view> receive();
  std::string_view receive_chunked(size_t position);

  Endpoint endpoint_;
  asio::io_context context_;
  asio::ip::tcp::socket socket_;
  std::string buffer_;  // what was received of this answer; its first `size_` bytes
  size_t size_ = 0;
  std::string body_;  // of a chunked answer, put together
};

}  // namespace quadrille::bench
