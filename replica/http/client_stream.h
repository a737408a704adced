// A client's socket, with or without TLS.
#pragma once

#include <asio/ip/tcp.hpp>
#include <asio/ssl.hpp>
#include <memory>
#include <optional>
#include <utility>

namespace quadrille::http {

class ClientStream {
 public:
  using Context = std::shared_ptr<asio::ssl::context>;

  // null: without TLS.
  ClientStream(asio::ip::tcp::socket socket, Context context)
      : context_(std::move(context)), socket_(std::move(socket)) {
    if (context_) tls_.emplace(socket_, *context_);
  }
  ClientStream(const ClientStream&) = delete;
  ClientStream& operator=(const ClientStream&) = delete;

  bool is_encrypted() const noexcept { return tls_.has_value(); }
  asio::ip::tcp::socket& socket() noexcept { return socket_; }

  template <class Handler>
  void async_handshake(Handler&& handler) {
    tls_->async_handshake(asio::ssl::stream_base::server, std::forward<Handler>(handler));
  }
  template <class Buffer, class Handler>
  void async_read_some(const Buffer& buffer, Handler&& handler) {
    if (tls_) return tls_->async_read_some(buffer, std::forward<Handler>(handler));
    socket_.async_read_some(buffer, std::forward<Handler>(handler));
  }
  template <class Buffer, class Handler>
  void async_write_some(const Buffer& buffer, Handler&& handler) {
    if (tls_) return tls_->async_write_some(buffer, std::forward<Handler>(handler));
    socket_.async_write_some(buffer, std::forward<Handler>(handler));
  }
  // Tells the client that nothing more comes, where TLS has a word for that.
  template <class Handler>
  void async_say_end(Handler&& handler) {
    tls_->async_shutdown(std::forward<Handler>(handler));
  }

 private:
  Context context_;
  asio::ip::tcp::socket socket_;
  std::optional<asio::ssl::stream<asio::ip::tcp::socket&>> tls_;
};

}  // namespace quadrille::http
