#include "bench/client/connection.h"

#include <fmt/format.h>
#include <netinet/tcp.h>

#include <strings.h>
#include <algorithm>
#include <asio/connect.hpp>
#include <asio/write.hpp>
#include <charconv>

namespace quadrille::bench {
namespace {

base::Error failed(std::string message) { return {base::ErrorKind::Unavailable, std::move(message), {}}; }

void append_form_encoded(std::string_view text, std::string& target) {
  constexpr std::string_view plain = "-_.~";
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || plain.find(c) != std::string_view::npos) {
      target += c;
    } else {
      target += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
}

const char* accepted(RequestType type) {
  switch (type) {
    case RequestType::Graph: return "application/n-triples";
    case RequestType::Update: return "*/*";
    default: return "application/sparql-results+json";
  }
}

// The value of a header of the answer; empty if it is not there.
std::string_view header(std::string_view head, std::string_view name) {
  size_t line = head.find("\r\n");
  while (line != std::string_view::npos && line + 2 < head.size()) {
    const size_t begin = line + 2;
    line = head.find("\r\n", begin);
    std::string_view text = head.substr(begin, line - begin);
    if (text.size() <= name.size() || text[name.size()] != ':') continue;
    if (strncasecmp(text.data(), name.data(), name.size()) != 0) continue;
    text.remove_prefix(name.size() + 1);
    while (text.starts_with(' ')) text.remove_prefix(1);
    return text;
  }
  return {};
}

size_t number_of(std::string_view digits, int base) {
  size_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  return number;
}

}  // namespace

base::Result<Endpoint> parse_endpoint(std::string_view url) {
  constexpr std::string_view scheme = "http://";
  if (!url.starts_with(scheme)) {
    return base::Error{base::ErrorKind::InvalidInput, fmt::format("{}: expected http://HOST[:PORT][/PATH]", url), {}};
  }
  url.remove_prefix(scheme.size());
  const size_t slash = std::min(url.find('/'), url.size());
  const std::string_view authority = url.substr(0, slash);
  const size_t colon = std::min(authority.find(':'), authority.size());
  Endpoint endpoint{std::string(authority.substr(0, colon)), "80", std::string(url.substr(slash))};
  if (colon < authority.size()) endpoint.port = authority.substr(colon + 1);
  if (endpoint.target.empty()) endpoint.target = "/sparql";
  return endpoint;
}

std::string make_request(const Endpoint& endpoint, const BenchQuery& query) {
  std::string body = query.type == RequestType::Update ? "update=" : "query=";
  append_form_encoded(query.text, body);
  // Parameters of the endpoint name graphs to query; an update names its graphs itself.
  std::string_view target = endpoint.target;
  if (query.type == RequestType::Update) target = target.substr(0, target.find('?'));
  return fmt::format(
      "POST {} HTTP/1.1\r\nHost: {}:{}\r\nAccept: {}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
      "Content-Length: {}\r\n\r\n{}",
      target, endpoint.host, endpoint.port, accepted(query.type), body.size(), body);
}

void Connection::connect() {
  asio::ip::tcp::resolver resolver(context_);
  asio::connect(socket_, resolver.resolve(endpoint_.host, endpoint_.port));
  socket_.set_option(asio::ip::tcp::no_delay(true));
  buffer_.resize(256 * 1024);
}

void Connection::fill() {
  if (size_ == buffer_.size()) buffer_.resize(buffer_.size() * 2);
  const int on = 1;
  ::setsockopt(socket_.native_handle(), IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
  size_ += socket_.read_some(asio::buffer(buffer_.data() + size_, buffer_.size() - size_));
}

size_t Connection::find_or_fill(std::string_view what, size_t from) {
  for (;;) {
    const size_t found = std::string_view(buffer_).substr(0, size_).find(what, from);
    if (found != std::string_view::npos) return found;
    fill();
  }
}

std::string_view Connection::receive_chunked(size_t position) {
  body_.clear();
  for (;;) {
    const size_t line_end = find_or_fill("\r\n", position);
    const size_t size = number_of(std::string_view(buffer_).substr(position, line_end - position), 16);
    const size_t begin = line_end + 2;
    while (size_ < begin + size + 2) fill();
    if (size == 0) return body_;
    body_.append(buffer_, begin, size);
    position = begin + size + 2;
  }
}

base::Result<std::string_view> Connection::receive() {
  size_ = 0;
  const size_t head_end = find_or_fill("\r\n\r\n", 0);
  const std::string head = buffer_.substr(0, head_end + 2);
  const size_t begin = head_end + 4;
  std::string_view body;
  if (header(head, "Transfer-Encoding").starts_with("chunked")) {
    body = receive_chunked(begin);
  } else {
    const size_t length = number_of(header(head, "Content-Length"), 10);
    while (size_ < begin + length) fill();
    body = std::string_view(buffer_).substr(begin, length);
  }
  if (header(head, "Connection").starts_with("close")) socket_.close();
  const std::string_view status = std::string_view(head).substr(std::min<size_t>(head.find(' ') + 1, head.size()), 3);
  if (!status.starts_with('2')) return failed(fmt::format("status {}: {}", status, body.substr(0, 300)));
  return body;
}

base::Result<std::string_view> Connection::exchange(std::string_view request) {
  try {
    if (!socket_.is_open()) connect();
    asio::write(socket_, asio::buffer(request));
    return receive();
  } catch (const std::system_error& error) {
    std::error_code ignored;
    socket_.close(ignored);
    return failed(fmt::format("{}:{}: {}", endpoint_.host, endpoint_.port, error.code().message()));
  }
}

}  // namespace quadrille::bench
