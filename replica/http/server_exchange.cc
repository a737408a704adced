#include "replica/http/server_exchange.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

namespace quadrille::http {
namespace {

// A whole response is short; what is longer is sent as it is made, up to this much ahead of the receiver.
constexpr size_t bytes_ahead_max = size_t{4} << 20;
constexpr size_t chunk_bytes = size_t{64} << 10;

std::string_view reason_of(int status) {
  switch (status) {
    case 200: return "OK";
    case 201: return "Created";
    case 204: return "No Content";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 406: return "Not Acceptable";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 410: return "Gone";
    case 413: return "Content Too Large";
    case 414: return "URI Too Long";
    case 415: return "Unsupported Media Type";
    case 417: return "Expectation Failed";
    case 421: return "Misdirected Request";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    case 505: return "HTTP Version Not Supported";
    case 507: return "Insufficient Storage";
    default: return "Status";
  }
}

// What a value may not hold would be another header.
void append_header(std::string& to, std::string_view name, std::string_view value) {
  to += name;
  to += ": ";
  std::copy_if(value.begin(), value.end(), std::back_inserter(to),
               [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != '\x7f'; });
  to += "\r\n";
}

// Without the line that ends it.
std::string head_of(const Response& response, const std::vector<Header>& common, bool is_http_1_0, bool is_last) {
  std::string head = fmt::format("HTTP/1.1 {} {}\r\n", response.status, reason_of(response.status));
  append_header(head, "Server", "Quadrille");
  append_header(head, "Date", fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(std::time(nullptr))));
  if (!response.content_type.empty()) append_header(head, "Content-Type", response.content_type);
  for (const auto& header : response.headers) append_header(head, header.name, header.value);
  for (const auto& header : common) append_header(head, header.name, header.value);
  if (is_last) {
    append_header(head, "Connection", "close");
  } else if (is_http_1_0) {
    append_header(head, "Connection", "keep-alive");
  }
  return head;
}

}  // namespace

std::string whole_answer(const Response& response, const std::vector<Header>& common, bool is_head, bool is_http_1_0,
                         bool is_last) {
  std::string bytes = head_of(response, common, is_http_1_0, is_last);
  if (response.status != 204) append_header(bytes, "Content-Length", std::to_string(response.body.size()));
  bytes += "\r\n";
  // To HEAD no body is sent: the client would take it for the next answer.
  if (!is_head) bytes += response.body;
  return bytes;
}

ServerExchange::ServerExchange(Request request, std::shared_ptr<RequestBody> body,
                               std::shared_ptr<Connection> connection, std::shared_ptr<Receiver> receiver,
                               std::shared_ptr<ConnectionHub> hub, bool keeps_alive)
    : Exchange(std::move(request)),
      body_(std::move(body)),
      connection_(std::move(connection)),
      receiver_(std::move(receiver)),
      hub_(std::move(hub)),
      keeps_alive_(keeps_alive) {
  hub_->begin_exchange(receiver_);
}

ServerExchange::~ServerExchange() {
  if (state_ == State::Streaming) {
    break_off();
  } else if (state_ == State::Open) {
    respond({500, "text/plain; charset=utf-8", "the request was dropped without an answer\n", {}});
  }
  hub_->end_exchange(receiver_.get());
}

void ServerExchange::respond(Response response) {
  if (std::exchange(state_, State::Over) != State::Open) return;
  note_status(response.status);
  connection_->send(whole_answer(response, headers(), is_head(), request().is_http_1_0, !keeps_alive_));
  connection_->end_answer(keeps_alive_ ? Connection::End::Whole : Connection::End::Last);
}

void ServerExchange::start(Response head) {
  state_ = State::Streaming;
  note_status(head.status);
  const bool ends_by_closing = request().is_http_1_0;
  pending_ = head_of(head, headers(), request().is_http_1_0, !keeps_alive_ || ends_by_closing);
  if (!ends_by_closing && !is_head()) append_header(pending_, "Transfer-Encoding", "chunked");
  pending_ += "\r\n";
  connection_->send(std::exchange(pending_, {}));
  if (!is_head()) return;
  state_ = State::Over;
  connection_->end_answer(keeps_alive_ ? Connection::End::Whole : Connection::End::Last);
}

base::Result<void> ServerExchange::write(std::string_view bytes, int64_t patience_ms) {
  if (state_ != State::Streaming) {
    return base::Error{base::ErrorKind::Unavailable, "nothing more of the answer is wanted", {}};
  }
  pending_ += bytes;
  return pending_.size() < chunk_bytes ? base::Result<void>() : send_pending(patience_ms);
}

std::string ServerExchange::take_pending() {
  if (request().is_http_1_0) return std::exchange(pending_, {});
  auto chunk = fmt::format("{:x}\r\n{}\r\n", pending_.size(), pending_);
  pending_.clear();
  return chunk;
}

base::Result<void> ServerExchange::send_pending(int64_t patience_ms) {
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
  connection_->send(take_pending(), [receiver = receiver_, size] { receiver->take(size); });
  return {};
}

void ServerExchange::finish() {
  if (std::exchange(state_, State::Over) != State::Streaming) return;
  if (!pending_.empty()) connection_->send(take_pending());
  const bool ends_by_closing = request().is_http_1_0;
  if (!ends_by_closing) connection_->send("0\r\n\r\n");
  connection_->end_answer(keeps_alive_ && !ends_by_closing ? Connection::End::Whole : Connection::End::Last);
}

void ServerExchange::break_off() {
  if (std::exchange(state_, State::Over) != State::Streaming) return;
  note_broken();
  // The last chunk never comes, so nobody takes the answer for whole; nor may the end of a connection look like its
  // end.
  connection_->end_answer(request().is_http_1_0 ? Connection::End::Reset : Connection::End::Last);
}

}  // namespace quadrille::http
