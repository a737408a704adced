#include "replica/transport/listener.h"

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>

#include "replica/transport/stream.h"
#include "sync/address.h"

namespace quadrille::replica {

namespace {

// After a failed accept, as when the process has no file descriptor left: trying again at once would spin.
constexpr auto pause_after_failure = std::chrono::milliseconds(100);

base::Error cannot_listen(const std::string& address, const std::error_code& error) {
  const auto kind = error == asio::error::address_in_use ? base::ErrorKind::Busy : base::ErrorKind::IoFailure;
  return {kind, "cannot listen on " + address + ": " + error.message(), std::nullopt};
}

}  // namespace

struct AsioListener::Acceptor : std::enable_shared_from_this<AsioListener::Acceptor> {
  Acceptor(asio::io_context& io, Accepted callback) : socket(io), pause(io), accepted(std::move(callback)) {}

  std::error_code open(const asio::ip::tcp::endpoint& endpoint) {
    std::error_code error;
    socket.open(endpoint.protocol(), error);
    if (!error) socket.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) socket.bind(endpoint, error);
    if (!error) socket.listen(asio::socket_base::max_listen_connections, error);
    return error;
  }

  void accept_next() {
    socket.async_accept([self = shared_from_this()](const std::error_code& error, asio::ip::tcp::socket connection) {
      if (self->is_closed) return;
      if (error) return self->try_again_later();
      std::error_code is_gone;
      const auto from = connection.remote_endpoint(is_gone).address().to_string();
      self->accepted(make_stream(std::move(connection)), from);
      if (!self->is_closed) self->accept_next();
    });
  }
  void try_again_later() {
    pause.expires_after(pause_after_failure);
    pause.async_wait([self = shared_from_this()](const std::error_code&) {
      if (!self->is_closed) self->accept_next();
    });
  }
  void close() {
    is_closed = true;
    std::error_code ignored;
    socket.close(ignored);
    pause.cancel();
  }

  asio::ip::tcp::acceptor socket;
  asio::steady_timer pause;
  Accepted accepted;
  bool is_closed = false;
};

base::Result<std::unique_ptr<AsioListener>> AsioListener::listen(asio::io_context& io, const std::string& address,
                                                                 Accepted accepted) {
  QUADRILLE_ASSIGN(const sync::HostPort target, sync::parse_host_port(address));
  std::error_code error;
  asio::ip::tcp::resolver resolver(io);
  const auto endpoints =
      resolver.resolve(target.host, std::to_string(target.port), asio::ip::tcp::resolver::passive, error);
  if (error || endpoints.empty()) return cannot_listen(address, error);
  auto acceptor = std::make_shared<Acceptor>(io, std::move(accepted));
  error = acceptor->open(endpoints.begin()->endpoint());
  if (error) return cannot_listen(address, error);
  acceptor->accept_next();
  return std::unique_ptr<AsioListener>(new AsioListener(std::move(acceptor)));
}

AsioListener::AsioListener(std::shared_ptr<Acceptor> acceptor) : acceptor_(std::move(acceptor)) {}
AsioListener::~AsioListener() { acceptor_->close(); }

bool AsioListener::is_loopback() const {
  std::error_code ignored;
  return acceptor_->socket.local_endpoint(ignored).address().is_loopback();
}

uint16_t AsioListener::port() const {
  std::error_code ignored;
  return acceptor_->socket.local_endpoint(ignored).port();
}

}  // namespace quadrille::replica
