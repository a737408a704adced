// The only source that includes RESTinio: it takes long to compile.
#include <fmt/format.h>

#include <algorithm>
#include <asio/ip/tcp.hpp>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <restinio/all.hpp>
#include <thread>
#include <utility>
#include <vector>

#include "replica/http/connection_count.h"
#include "replica/http/parameters.h"
#include "replica/http/server.h"

namespace quadrille::http {
namespace {

// A whole response is short; what is longer is sent as it is made, up to this much ahead of the receiver.
constexpr size_t bytes_ahead_max = size_t{4} << 20;
constexpr size_t chunk_bytes = size_t{64} << 10;

// What an exchange knows of its receiver. The notifications of writes and of closed connections share it.
struct Receiver {
  std::mutex mutex;
  std::condition_variable changed;
  size_t bytes_ahead = 0;
  std::atomic<bool> is_gone = false;

  void leave() {
    std::lock_guard lock(mutex);  // else a writer could miss it between its look and its wait
    is_gone = true;
    changed.notify_all();
  }
};

// The receivers of all exchanges that are not over, by connection.
class Receivers {
 public:
  void enter(restinio::connection_id_t connection, std::shared_ptr<Receiver> receiver) {
    std::lock_guard lock(mutex_);
    if (are_abandoned_) receiver->leave();
    receivers_.emplace(connection, std::move(receiver));
  }
  void remove(restinio::connection_id_t connection, const Receiver* receiver) {
    std::lock_guard lock(mutex_);
    const auto [begin, end] = receivers_.equal_range(connection);
    const auto found = std::find_if(begin, end, [&](const auto& entry) { return entry.second.get() == receiver; });
    if (found != end) receivers_.erase(found);
    if (receivers_.empty()) none_left_.notify_all();
  }
  void leave(restinio::connection_id_t connection) {
    std::lock_guard lock(mutex_);
    const auto [begin, end] = receivers_.equal_range(connection);
    std::for_each(begin, end, [](const auto& entry) { entry.second->leave(); });
  }
  // Nothing is sent any more, to anybody: who waits for a slow receiver, or computes for it, gives up.
  void abandon_all() {
    std::lock_guard lock(mutex_);
    are_abandoned_ = true;
    for (const auto& entry : receivers_) entry.second->leave();
  }
  void wait_until_none(int patience_ms) {
    std::unique_lock lock(mutex_);
    none_left_.wait_for(lock, std::chrono::milliseconds(patience_ms), [this] { return receivers_.empty(); });
  }

 private:
  std::mutex mutex_;
  std::condition_variable none_left_;
  std::multimap<restinio::connection_id_t, std::shared_ptr<Receiver>> receivers_;
  bool are_abandoned_ = false;
};

// RESTinio reads ahead while a request is answered, so it learns soon that a client has closed its connection.
class ConnectionListener {
 public:
  explicit ConnectionListener(std::shared_ptr<Receivers> receivers) : receivers_(std::move(receivers)) {}
  void state_changed(const restinio::connection_state::notice_t& notice) {
    if (restinio::holds_alternative<restinio::connection_state::closed_t>(notice.cause())) {
      receivers_->leave(notice.connection_id());
    }
  }

 private:
  std::shared_ptr<Receivers> receivers_;
};

struct Traits : restinio::traits_t<restinio::asio_timer_manager_t, restinio::null_logger_t> {
  static constexpr bool use_connection_count_limiter = true;
  using connection_state_listener_t = ConnectionListener;
};

}  // namespace
}  // namespace quadrille::http

template <>
struct restinio::connection_count_limit_types<quadrille::http::Traits> {
  using limiter_t = quadrille::http::ConnectionLimiter;
  using lifetime_monitor_t = quadrille::http::CountedConnection;
};

namespace quadrille::http {
namespace {

using RestinioServer = restinio::http_server_t<Traits>;
using RestinioRequest = restinio::request_handle_t;

std::string_view reason_of(int status) {
  switch (status) {
    case 200: return "OK";
    case 201: return "Created";
    case 204: return "No Content";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 406: return "Not Acceptable";
    case 409: return "Conflict";
    case 413: return "Content Too Large";
    case 415: return "Unsupported Media Type";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    default: return "Status";
  }
}

restinio::http_status_line_t status_line(int status) {
  return {restinio::http_status_code_t{static_cast<uint16_t>(status)}, std::string(reason_of(status))};
}

template <class Builder>
void add_headers(Builder& builder, Response& head) {
  builder.append_header(restinio::http_field::server, "Quadrille");
  if (!head.content_type.empty()) builder.append_header(restinio::http_field::content_type, head.content_type);
  for (auto& header : head.headers) builder.append_header(std::move(header.name), std::move(header.value));
}

class RestinioExchange final : public Exchange {
 public:
  RestinioExchange(Request request, RestinioRequest handle, std::shared_ptr<Receivers> receivers)
      : Exchange(std::move(request)), handle_(std::move(handle)), receivers_(std::move(receivers)) {
    receivers_->enter(handle_->connection_id(), receiver_);
  }
  ~RestinioExchange() override {
    if (stream_) {
      break_off();
    } else if (!is_answered_) {
      respond({500, "text/plain; charset=utf-8", "the request was dropped without an answer\n", {}});
    }
    receivers_->remove(handle_->connection_id(), receiver_.get());
  }

  const std::atomic<bool>& is_abandoned() const noexcept override { return receiver_->is_gone; }

  void respond(Response response) override {
    is_answered_ = true;
    auto builder = handle_->create_response(status_line(response.status));
    add_headers(builder, response);
    // To HEAD no body is sent: the client would take it for the next answer.
    if (request().method != "HEAD") builder.set_body(std::move(response.body));
    builder.done();
  }

  void start(Response head) override {
    is_answered_ = true;
    connection_ = restinio::impl::access_req_connection(*handle_);
    stream_.emplace(handle_->create_response<restinio::chunked_output_t>(status_line(head.status)));
    add_headers(*stream_, head);
  }

  base::Result<void> write(std::string_view bytes, int64_t patience_ms) override {
    pending_ += bytes;
    return pending_.size() < chunk_bytes ? base::Result<void>() : send_pending(patience_ms);
  }

  void finish() override {
    if (!pending_.empty()) stream_->append_chunk(std::exchange(pending_, {}));
    stream_->done();
    stream_.reset();
  }

  void break_off() override {
    // The head may not have gone out yet; with it, but without the last chunk, nobody takes the answer for whole.
    stream_->flush();
    connection_->write_response_parts(
        handle_->request_id(),
        {restinio::response_parts_attr_t::final_parts, restinio::response_connection_attr_t::connection_close},
        restinio::write_group_t{restinio::writable_items_container_t{}});
    stream_.reset();
  }

 private:
  base::Result<void> send_pending(int64_t patience_ms) {
    const size_t size = pending_.size();
    {
      std::unique_lock lock(receiver_->mutex);
      const bool may_go_on = receiver_->changed.wait_for(lock, std::chrono::milliseconds(patience_ms), [this] {
        return receiver_->is_gone || receiver_->bytes_ahead < bytes_ahead_max;
      });
      if (!may_go_on) return base::Error{base::ErrorKind::Timeout, "the client takes the answer too slowly", {}};
      if (receiver_->is_gone) return base::Error{base::ErrorKind::Unavailable, "the client has gone away", {}};
      receiver_->bytes_ahead += size;
    }
    stream_->append_chunk(std::exchange(pending_, {}));
    stream_->flush([receiver = receiver_, size](const asio::error_code& error) {
      if (error) return receiver->leave();
      std::lock_guard lock(receiver->mutex);
      receiver->bytes_ahead -= size;
      receiver->changed.notify_all();
    });
    return {};
  }

  RestinioRequest handle_;
  std::shared_ptr<Receivers> receivers_;
  bool is_answered_ = false;
  restinio::impl::connection_handle_t connection_;
  std::optional<restinio::response_builder_t<restinio::chunked_output_t>> stream_;
  std::string pending_;
  std::shared_ptr<Receiver> receiver_ = std::make_shared<Receiver>();
};

Request request_of(const restinio::request_t& from) {
  Request request;
  const auto& head = from.header();
  request.method = head.method().c_str();
  const std::string_view target = head.request_target();
  const auto question = std::min(target.find('?'), target.size());
  auto path = percent_decode(target.substr(0, question), false);
  request.path = path.ok() ? std::move(path).value() : std::string(target.substr(0, question));
  request.query = target.substr(std::min(question + 1, target.size()));
  head.for_each_field([&](const auto& field) { request.headers.push_back({field.name(), field.value()}); });
  request.body = from.body();
  return request;
}

class HttpServer final : public Server {
 public:
  HttpServer(const ServerOptions& options, const asio::ip::address& address, Handler handler)
      : handler_(std::move(handler)),
        body_bytes_max_(options.body_bytes_max),
        receivers_(std::make_shared<Receivers>()),
        server_(restinio::own_io_context(), settings(options, address)) {
    server_.open_sync();
    for (unsigned i = 0; i < options.io_threads; ++i) threads_.emplace_back([this] { server_.io_context().run(); });
  }
  ~HttpServer() override { stop(0); }

  uint16_t port() const override { return port_; }

  void stop(int patience_ms) override {
    if (threads_.empty()) return;
    server_.close_async([] {}, [](std::exception_ptr) {});
    receivers_->wait_until_none(patience_ms);
    receivers_->abandon_all();
    // Answers that were given are still on their way to their sockets: a moment for them.
    if (patience_ms > 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    server_.io_context().stop();
    for (auto& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  restinio::server_settings_t<Traits> settings(const ServerOptions& options, const asio::ip::address& address) {
    using std::chrono::seconds;
    restinio::server_settings_t<Traits> settings;
    settings.port(options.port)
        .address(address)
        .protocol(address.is_v6() ? asio::ip::tcp::v6() : asio::ip::tcp::v4())
        .buffer_size(64 * 1024)
        .max_pipelined_requests(4)
        .read_next_http_message_timelimit(seconds(600))
        .handle_request_timeout(seconds(4 * 3600))
        .write_http_response_timelimit(seconds(60))
        .max_parallel_connections(options.connections_max)
        .connection_state_listener(std::make_shared<ConnectionListener>(receivers_))
        .incoming_http_msg_limits(restinio::incoming_http_msg_limits_t{}
                                      .max_url_size(256 * 1024)
                                      .max_field_count(200)
                                      .max_field_name_size(1024)
                                      .max_field_value_size(64 * 1024)
                                      .max_body_size(2 * body_bytes_max_))
        .socket_options_setter(
            [](restinio::socket_options_t& socket) { socket.set_option(asio::ip::tcp::no_delay(true)); })
        .acceptor_post_bind_hook(
            [this](asio::ip::tcp::acceptor& acceptor) { port_ = acceptor.local_endpoint().port(); })
        .request_handler([this](RestinioRequest handle) { return handle_request(std::move(handle)); });
    return settings;
  }

  restinio::request_handling_status_t handle_request(RestinioRequest handle) {
    auto request = request_of(*handle);
    auto exchange = std::make_shared<RestinioExchange>(std::move(request), std::move(handle), receivers_);
    if (exchange->request().body.size() > body_bytes_max_) {
      exchange->respond({413,
                         "text/plain; charset=utf-8",
                         fmt::format("the body is larger than the {} bytes that are allowed\n", body_bytes_max_),
                         {}});
    } else {
      handler_(std::move(exchange));
    }
    return restinio::request_accepted();
  }

  Handler handler_;
  const uint64_t body_bytes_max_;
  std::shared_ptr<Receivers> receivers_;
  uint16_t port_ = 0;
  RestinioServer server_;
  std::vector<std::thread> threads_;
};

base::Result<asio::ip::address> resolve(const ServerOptions& options) {
  asio::error_code error;
  const auto address = asio::ip::make_address(options.host, error);
  if (!error) return address;
  asio::io_context context;
  asio::ip::tcp::resolver resolver(context);
  const auto found = resolver.resolve(options.host, std::to_string(options.port), error);
  if (error || found.empty()) {
    return base::Error{base::ErrorKind::InvalidInput,
                       fmt::format("{}: no such host; expected an address of this machine", options.host),
                       {}};
  }
  return found.begin()->endpoint().address();
}

}  // namespace

base::Result<std::unique_ptr<Server>> Server::start(const ServerOptions& options, Handler handler) {
  QUADRILLE_ASSIGN(const auto address, resolve(options));
  try {
    return std::unique_ptr<Server>(std::make_unique<HttpServer>(options, address, std::move(handler)));
  } catch (const std::system_error& error) {
    const auto where = fmt::format("{}:{}", options.host, options.port);
    if (error.code() == asio::error::address_in_use) {
      return base::Error{base::ErrorKind::Busy, fmt::format("{}: the port is in use; expected a free one", where), {}};
    }
    return base::Error{
        base::ErrorKind::IoFailure, fmt::format("{}: cannot listen there ({})", where, error.code().message()), {}};
  }
}

}  // namespace quadrille::http
