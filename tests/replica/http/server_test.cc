#include "replica/http/server.h"

#include <asio/connect.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/read_until.hpp>
#include <asio/write.hpp>
#include <catch2/catch.hpp>
#include <mutex>
#include <string>
#include <vector>

using namespace quadrille;

namespace {

// A connection that is kept.
class Client {
 public:
  explicit Client(uint16_t port) { socket_.connect({asio::ip::make_address("127.0.0.1"), port}); }
  void ask(const std::string& path) {
    asio::write(socket_, asio::buffer("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n"));
  }
  // Waits for an answer to a request. Answers here have no body.
  std::string status_line() {
    const size_t size = asio::read_until(socket_, asio::dynamic_buffer(received_), "\r\n\r\n");
    const std::string line = received_.substr(0, received_.find('\r'));
    received_.erase(0, size);
    return line;
  }
  void close() { socket_.close(); }

 private:
  asio::io_context io_;
  asio::ip::tcp::socket socket_{io_};
  std::string received_;
};

// Answers whatever comes, and knows what that was.
class Seen {
 public:
  void answer(http::Exchange& exchange) {
    const std::lock_guard lock(mutex_);
    paths_.push_back(exchange.request().path);
    exchange.respond({200, "", "", {}});
  }
  std::vector<std::string> paths() {
    const std::lock_guard lock(mutex_);
    return paths_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> paths_;
};

}  // namespace

TEST_CASE("one connection more than are allowed waits until another one is closed") {
  Seen seen;
  http::ServerOptions options;
  options.connections_max = 1;
  const auto server = http::Server::start(options, [&](auto exchange) { seen.answer(*exchange); }).value();
  Client first(server->port());
  first.ask("/first");
  CHECK(first.status_line() == "HTTP/1.1 200 OK");
  Client second(server->port());
  second.ask("/second");
  first.ask("/again");
  CHECK(first.status_line() == "HTTP/1.1 200 OK");
  CHECK(seen.paths() == std::vector<std::string>{"/first", "/again"});
  first.close();
  CHECK(second.status_line() == "HTTP/1.1 200 OK");
  CHECK(seen.paths().back() == "/second");
}

TEST_CASE("a server stops while connections are open") {
  Seen seen;
  auto server = http::Server::start({}, [&](auto exchange) { seen.answer(*exchange); }).value();
  Client client(server->port());
  client.ask("/");
  CHECK(client.status_line() == "HTTP/1.1 200 OK");
  server.reset();
  CHECK_THROWS(client.status_line());
}
