// A link between two sites that one can cut: forwards TCP connections on loopback, with a delay if wanted.
//
//   quadrille-link [--delay-ms N] LISTEN_PORT=TARGET_PORT...
//
// SIGUSR1 cuts: open connections are reset, new ones are closed at once. SIGUSR2 heals. SIGTERM ends it.
#include <CLI/CLI.hpp>
#include <array>
#include <asio.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace {

using asio::ip::tcp;
using Clock = std::chrono::steady_clock;

constexpr size_t chunk_bytes = 64 * 1024;
constexpr size_t queued_bytes_max = 8 * 1024 * 1024;  // per direction; beyond it the sender has to wait

// One connection through the proxy. Kept alive by its pending handlers.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket client, tcp::socket server, Clock::duration delay)
      : delay_(delay), client_(std::move(client)), server_(std::move(server)) {}

  void start() {
    read(to_server_);
    read(to_client_);
  }

  void reset() {
    is_open_ = false;
    for (tcp::socket* socket : {&client_, &server_}) {
      std::error_code ignored;
      socket->set_option(asio::socket_base::linger(true, 0), ignored);
      socket->close(ignored);
    }
    to_server_.timer.cancel();
    to_client_.timer.cancel();
  }

 private:
  struct Chunk {
    Clock::time_point due;
    std::vector<char> bytes;
  };
  struct Direction {
    Direction(tcp::socket& source, tcp::socket& target) : from(source), to(target), timer(source.get_executor()) {}
    tcp::socket& from;
    tcp::socket& to;
    asio::steady_timer timer;
    std::array<char, chunk_bytes> buffer;
    std::deque<Chunk> queue;
    size_t queued_bytes = 0;
    bool is_writing = false;
    bool is_reading = false;
    bool is_ended = false;
  };

  void read(Direction& direction) {
    if (direction.is_reading || direction.is_ended || direction.queued_bytes > queued_bytes_max) return;
    direction.is_reading = true;
    direction.from.async_read_some(
        asio::buffer(direction.buffer), [this, self = shared_from_this(), &direction](std::error_code error, size_t n) {
          direction.is_reading = false;
          if (!is_open_) return;
          if (error) {
            direction.is_ended = true;
          } else {
            direction.queue.push_back({Clock::now() + delay_, {direction.buffer.data(), direction.buffer.data() + n}});
            direction.queued_bytes += n;
            read(direction);
          }
          write(direction);
        });
  }

  void write(Direction& direction) {
    if (direction.is_writing) return;
    if (direction.queue.empty()) {
      std::error_code ignored;
      if (direction.is_ended) direction.to.shutdown(tcp::socket::shutdown_send, ignored);
      return;
    }
    direction.is_writing = true;
    direction.timer.expires_at(direction.queue.front().due);
    direction.timer.async_wait([this, self = shared_from_this(), &direction](std::error_code) {
      if (!is_open_) return;
      asio::async_write(direction.to, asio::buffer(direction.queue.front().bytes),
                        [this, self, &direction](std::error_code error, size_t n) {
                          direction.is_writing = false;
                          if (!is_open_) return;
                          if (error) return reset();
                          direction.queued_bytes -= n;
                          direction.queue.pop_front();
                          read(direction);
                          write(direction);
                        });
    });
  }

  Clock::duration delay_;
  bool is_open_ = true;
  tcp::socket client_;
  tcp::socket server_;
  Direction to_server_{client_, server_};
  Direction to_client_{server_, client_};
};

class Link {
 public:
  Link(asio::io_context& loop, uint16_t listen_port, uint16_t target_port, Clock::duration delay)
      : acceptor_(loop, {asio::ip::address_v4::loopback(), listen_port}),
        target_(asio::ip::address_v4::loopback(), target_port),
        delay_(delay) {
    accept();
  }

  void cut() {
    is_cut_ = true;
    for (auto& weak : connections_) {
      if (auto connection = weak.lock()) connection->reset();
    }
    connections_.clear();
  }
  void heal() { is_cut_ = false; }

 private:
  void accept() {
    acceptor_.async_accept([this](std::error_code error, tcp::socket client) {
      if (error) return;
      if (!is_cut_) forward(std::move(client));
      accept();
    });
  }

  void forward(tcp::socket client) {
    tcp::socket server(acceptor_.get_executor());
    std::error_code error;
    server.connect(target_, error);  // loopback: answers at once
    if (error) return;
    client.set_option(tcp::no_delay(true), error);
    server.set_option(tcp::no_delay(true), error);
    auto connection = std::make_shared<Connection>(std::move(client), std::move(server), delay_);
    std::erase_if(connections_, [](const auto& weak) { return weak.expired(); });
    connections_.push_back(connection);
    connection->start();
  }

  tcp::acceptor acceptor_;
  tcp::endpoint target_;
  Clock::duration delay_;
  bool is_cut_ = false;
  std::vector<std::weak_ptr<Connection>> connections_;
};

void watch_signals(asio::signal_set& signals, std::vector<std::unique_ptr<Link>>& links, asio::io_context& loop) {
  signals.async_wait([&](std::error_code error, int signal) {
    if (error) return;
    if (signal == SIGTERM || signal == SIGINT) return loop.stop();
    for (auto& link : links) signal == SIGUSR1 ? link->cut() : link->heal();
    watch_signals(signals, links, loop);
  });
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("A link between sites that can be cut (SIGUSR1) and healed (SIGUSR2)");
  std::vector<std::string> pairs;
  int delay_ms = 0;
  app.add_option("pairs", pairs, "LISTEN_PORT=TARGET_PORT, both on loopback")->required();
  app.add_option("--delay-ms", delay_ms, "how long each byte is on its way")->check(CLI::Range(0, 60000));
  CLI11_PARSE(app, argc, argv);

  asio::io_context loop;
  asio::signal_set signals(loop, SIGUSR1, SIGUSR2, SIGTERM);
  signals.add(SIGINT);
  std::vector<std::unique_ptr<Link>> links;
  for (const std::string& pair : pairs) {
    unsigned listen_port = 0, target_port = 0;
    if (std::sscanf(pair.c_str(), "%u=%u", &listen_port, &target_port) != 2 || listen_port > 65535 ||
        target_port > 65535) {
      std::fprintf(stderr, "quadrille-link: '%s': expected LISTEN_PORT=TARGET_PORT\n", pair.c_str());
      return 2;
    }
    try {
      links.push_back(std::make_unique<Link>(loop, static_cast<uint16_t>(listen_port),
                                             static_cast<uint16_t>(target_port), std::chrono::milliseconds(delay_ms)));
    } catch (const std::system_error& error) {
      std::fprintf(stderr, "quadrille-link: port %u: %s\n", listen_port, error.code().message().c_str());
      return 1;
    }
  }
  watch_signals(signals, links, loop);
  std::puts("ready");
  std::fflush(stdout);
  loop.run();
  return 0;
}
