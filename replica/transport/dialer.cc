#include "replica/transport/dialer.h"

#include <kj/exception.h>

#include <asio/connect.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <memory>

#include "replica/transport/plain_stream.h"
#include "replica/transport/stream.h"
#include "sync/address.h"

namespace quadrille::replica {

namespace {

using Fulfiller = kj::PromiseFulfiller<kj::Own<kj::AsyncIoStream>>;

kj::Exception failure(kj::Exception::Type type, const std::string& why) {
  return kj::Exception(type, __FILE__, __LINE__, kj::heapString(why.c_str()));
}

// Held by the handlers; the promise holds a handle that stops it.
struct Attempt {
  Attempt(asio::io_context& io, kj::Own<Fulfiller> done) : resolver(io), socket(io), fulfiller(kj::mv(done)) {}

  void fail(const std::error_code& error) {
    fulfiller->reject(failure(kj::Exception::Type::DISCONNECTED, "cannot connect: " + error.message()));
  }
  void stop() {
    std::error_code ignored;
    resolver.cancel();
    socket.close(ignored);
  }

  asio::ip::tcp::resolver resolver;
  asio::ip::tcp::socket socket;
  kj::Own<Fulfiller> fulfiller;
};

void connect_to(const std::shared_ptr<Attempt>& attempt, const asio::ip::tcp::resolver::results_type& endpoints) {
  asio::async_connect(attempt->socket, endpoints,
                      [attempt](const std::error_code& error, const asio::ip::tcp::endpoint&) {
                        if (error) return attempt->fail(error);
                        attempt->fulfiller->fulfill(make_stream(std::move(attempt->socket)));
                      });
}

}  // namespace

kj::Promise<sync::Connection> AsioDialer::dial(const std::string& address) {
  return connect(address).then(
      [](kj::Own<kj::AsyncIoStream> network) { return sync::Connection(make_plain(kj::mv(network))); });
}

kj::Promise<kj::Own<kj::AsyncIoStream>> AsioDialer::connect(const std::string& address) {
  const auto target = sync::parse_host_port(address);
  if (!target.ok()) return failure(kj::Exception::Type::FAILED, target.error().message);
  auto [promise, fulfiller] = kj::newPromiseAndFulfiller<kj::Own<kj::AsyncIoStream>>();
  auto attempt = std::make_shared<Attempt>(io_, kj::mv(fulfiller));
  attempt->resolver.async_resolve(
      target->host, std::to_string(target->port),
      [attempt](const std::error_code& error, const asio::ip::tcp::resolver::results_type& endpoints) {
        if (error) return attempt->fail(error);
        if (!attempt->fulfiller->isWaiting()) return;  // given up while the name was looked up
        connect_to(attempt, endpoints);
      });
  return promise.attach(kj::defer([attempt] { attempt->stop(); }));
}

}  // namespace quadrille::replica
