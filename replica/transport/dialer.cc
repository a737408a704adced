#include "replica/transport/dialer.h"

#include <kj/debug.h>

#include <asio/connect.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <memory>

#include "replica/transport/address.h"
#include "replica/transport/stream.h"

namespace quadrille::replica {

namespace {

using Fulfiller = kj::PromiseFulfiller<kj::Own<kj::AsyncIoStream>>;

// Held by the handlers; the promise holds a handle that stops it.
struct Attempt {
  Attempt(asio::io_context& io, std::string where, kj::Own<Fulfiller> done)
      : resolver(io), socket(io), address(std::move(where)), fulfiller(kj::mv(done)) {}

  void fail(const std::error_code& error) {
    fulfiller->reject(KJ_EXCEPTION(DISCONNECTED, address.c_str(), error.message().c_str()));
  }
  void stop() {
    std::error_code ignored;
    resolver.cancel();
    socket.close(ignored);
  }

  asio::ip::tcp::resolver resolver;
  asio::ip::tcp::socket socket;
  std::string address;
  kj::Own<Fulfiller> fulfiller;
};

void connect(const std::shared_ptr<Attempt>& attempt, const asio::ip::tcp::resolver::results_type& endpoints) {
  asio::async_connect(attempt->socket, endpoints,
                      [attempt](const std::error_code& error, const asio::ip::tcp::endpoint&) {
                        if (error) return attempt->fail(error);
                        attempt->fulfiller->fulfill(make_stream(std::move(attempt->socket)));
                      });
}

}  // namespace

kj::Promise<kj::Own<kj::AsyncIoStream>> AsioDialer::dial(const std::string& address) {
  const auto target = parse_host_and_port(address);
  if (!target.ok()) return KJ_EXCEPTION(FAILED, target.error().message.c_str());
  auto [promise, fulfiller] = kj::newPromiseAndFulfiller<kj::Own<kj::AsyncIoStream>>();
  auto attempt = std::make_shared<Attempt>(io_, address, kj::mv(fulfiller));
  attempt->resolver.async_resolve(
      target->host, std::to_string(target->port),
      [attempt](const std::error_code& error, const asio::ip::tcp::resolver::results_type& endpoints) {
        if (error) return attempt->fail(error);
        if (!attempt->fulfiller->isWaiting()) return;  // given up while the name was looked up
        connect(attempt, endpoints);
      });
  return promise.attach(kj::defer([attempt] { attempt->stop(); }));
}

}  // namespace quadrille::replica
