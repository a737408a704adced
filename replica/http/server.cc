#include "replica/http/server.h"

#include <fmt/format.h>

#include <asio/bind_executor.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/post.hpp>
#include <asio/ssl.hpp>
#include <asio/steady_timer.hpp>
#include <asio/strand.hpp>
#include <asio/write.hpp>
#include <chrono>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "replica/http/connection.h"
#include "replica/http/connection_hub.h"
#include "replica/http/server_exchange.h"

namespace quadrille::http {
namespace {

using asio::ip::tcp;

ReaderLimits limits_of(const ServerOptions& options) {
  ReaderLimits limits;
  limits.url_bytes_max = options.head_bytes_max;
  limits.head_bytes_max = options.head_bytes_max;
  limits.body_bytes_max = options.body_bytes_max;
  limits.body_bytes_in_memory = options.body_bytes_in_memory;
  limits.body_directory = options.body_directory;
  return limits;
}

base::Result<ClientStream::Context> read_identity(const TlsIdentity& identity) {
  const auto unusable = [](const std::filesystem::path& file, const asio::error_code& error, const char* expected) {
    return base::Error{base::ErrorKind::InvalidInput,
                       fmt::format("{}: {}; expected {}", file.string(), error.message(), expected),
                       {}};
  };
  auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
  SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
  SSL_CTX_set_options(context->native_handle(), SSL_OP_NO_RENEGOTIATION);
  // Without it OpenSSL asks for the password at the terminal.
  SSL_CTX_set_default_passwd_cb(context->native_handle(), [](char*, int, int, void*) { return 0; });
  asio::error_code error;
  context->use_certificate_chain_file(identity.certificate.string(), error);
  if (error) return unusable(identity.certificate, error, "a certificate as PEM");
  context->use_private_key_file(identity.key.string(), asio::ssl::context::pem, error);
  if (error) return unusable(identity.key, error, "the certificate's key as PEM, without a password");
  if (SSL_CTX_check_private_key(context->native_handle()) != 1) {
    return base::Error{base::ErrorKind::InvalidInput,
                       fmt::format("{}: it is the key of another certificate than {}", identity.key.string(),
                                   identity.certificate.string()),
                       {}};
  }
  return context;
}

class AsioServer final : public Server {
 public:
  AsioServer(ServerOptions options, Handler handler, ClientStream::Context context)
      : options_(std::move(options)),
        hub_(std::make_shared<ConnectionHub>(limits_of(options_), options_.times, options_.connections_max,
                                             std::move(handler))),
        acceptor_(asio::make_strand(io_)),
        pause_(acceptor_.get_executor()),
        context_(std::move(context)) {}
  ~AsioServer() override { stop(0); }

  asio::error_code listen(const asio::ip::address& address) {
    asio::error_code error;
    const tcp::endpoint endpoint(address, options_.port);
    if (acceptor_.open(endpoint.protocol(), error)) return error;
    acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (acceptor_.bind(endpoint, error)) return error;
    if (acceptor_.listen(asio::socket_base::max_listen_connections, error)) return error;
    port_ = acceptor_.local_endpoint().port();
    is_loopback_ = address.is_loopback();
    accept();
    for (unsigned i = 0; i < options_.io_threads; ++i) threads_.emplace_back([this] { io_.run(); });
    return {};
  }

  uint16_t port() const override { return port_; }
  bool is_loopback() const override { return is_loopback_; }
  ServerCounts counts() const override { return hub_->counts(); }

  base::Result<void> reload_certificate() override {
    if (!options_.tls) return {};
    QUADRILLE_ASSIGN(auto again, read_identity(*options_.tls));
    std::lock_guard lock(mutex_);
    context_ = std::move(again);
    return {};
  }

  void stop(int patience_ms) override {
    if (threads_.empty()) return;
    asio::post(acceptor_.get_executor(), [this] {
      asio::error_code ignored;
      acceptor_.close(ignored);
    });
    hub_->stop(patience_ms);
    // Answers that were given are still on their way to their sockets: a moment for them.
    if (patience_ms > 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    io_.stop();
    for (auto& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  void accept() {
    acceptor_.async_accept(
        asio::make_strand(io_),
        asio::bind_executor(acceptor_.get_executor(), [this](const asio::error_code& error, tcp::socket socket) {
          if (!acceptor_.is_open()) return;
          if (error) return accept_later();
          welcome(std::move(socket));
          accept();
        }));
  }

  // There are no descriptors left, for example.
  void accept_later() {
    pause_.expires_after(std::chrono::milliseconds(100));
    pause_.async_wait([this](const asio::error_code& error) {
      if (!error && acceptor_.is_open()) accept();
    });
  }

  void welcome(tcp::socket socket) {
    asio::error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    auto connection = std::make_shared<Connection>(std::move(socket), context(), hub_);
    if (hub_->enter(connection)) return connection->start();
    ++hub_->dropped;
  }

  ClientStream::Context context() {
    std::lock_guard lock(mutex_);
    return context_;
  }

  const ServerOptions options_;
  asio::io_context io_;  // before all that works on it
  std::shared_ptr<ConnectionHub> hub_;
  tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  std::mutex mutex_;  // of context_
  ClientStream::Context context_;
  uint16_t port_ = 0;
  bool is_loopback_ = false;
  std::vector<std::thread> threads_;
};

base::Result<asio::ip::address> resolve(const ServerOptions& options) {
  asio::error_code error;
  const auto address = asio::ip::make_address(options.host, error);
  if (!error) return address;
  asio::io_context context;
  tcp::resolver resolver(context);
  const auto found = resolver.resolve(options.host, std::to_string(options.port), error);
  if (error || found.empty()) {
    return base::Error{base::ErrorKind::InvalidInput,
                       fmt::format("{}: no such host; expected an address of this machine", options.host),
                       {}};
  }
  return found.begin()->endpoint().address();
}

}  // namespace

base::Result<std::unique_ptr<Server>> Server::start(ServerOptions options, Handler handler) {
  QUADRILLE_ASSIGN(const auto address, resolve(options));
  ClientStream::Context context;
  if (options.tls) {
    QUADRILLE_ASSIGN(context, read_identity(*options.tls));
  }
  const auto where = fmt::format("{}:{}", options.host, options.port);
  auto server = std::make_unique<AsioServer>(std::move(options), std::move(handler), std::move(context));
  const auto error = server->listen(address);
  if (!error) return std::unique_ptr<Server>(std::move(server));
  if (error == asio::error::address_in_use) {
    return base::Error{base::ErrorKind::Busy, fmt::format("{}: the port is in use; expected a free one", where), {}};
  }
  return base::Error{
      base::ErrorKind::IoFailure, fmt::format("{}: cannot listen there ({})", where, error.message()), {}};
}

}  // namespace quadrille::http
