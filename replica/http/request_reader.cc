#include "replica/http/request_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>

#include "engine/io/media_type.h"
#include "replica/http/parameters.h"
#include "replica/http/replies.h"

namespace quadrille::http {

struct RequestReader::Callbacks {
  static RequestReader& reader(http_parser* parser) { return *static_cast<RequestReader*>(parser->data); }
  static int go_on(const RequestReader& reader) { return reader.state_ == State::Refused ? 1 : 0; }

  static int on_begin(http_parser* parser) {
    reader(parser).state_ = State::Head;
    return 0;
  }
  static int on_url(http_parser* parser, const char* text, size_t size) {
    auto& self = reader(parser);
    if (self.request_.target.size() + size > self.limits_.url_bytes_max) {
      self.refuse(414, fmt::format("the URL is longer than {} bytes; expected a POST", self.limits_.url_bytes_max));
    } else {
      self.request_.target.append(text, size);
    }
    return go_on(self);
  }
  static int on_field(http_parser* parser, const char* text, size_t size) {
    auto& self = reader(parser);
    if (self.is_in_value_) self.end_header();
    self.on_header_text(self.header_.name, {text, size});
    return go_on(self);
  }
  static int on_value(http_parser* parser, const char* text, size_t size) {
    auto& self = reader(parser);
    self.is_in_value_ = self.state_ == State::Head;
    self.on_header_text(self.header_.value, {text, size});
    return go_on(self);
  }
  static int on_head(http_parser* parser) {
    auto& self = reader(parser);
    if (self.state_ == State::Body) return 0;  // trailers
    self.on_head();
    return go_on(self);
  }
  static int on_body(http_parser* parser, const char* text, size_t size) {
    auto& self = reader(parser);
    if (self.body_->size() + size > self.body_bytes_max_) {
      self.refuse(413, fmt::format("the body is larger than the {} bytes that are allowed", self.body_bytes_max_));
    } else if (auto stored = self.body_->append({text, size}); !stored.ok()) {
      const bool is_full = stored.error().kind == base::ErrorKind::ResourceExhausted;
      self.refuse(is_full ? 507 : 500, stored.error().message);
    }
    return go_on(self);
  }
  static int on_complete(http_parser* parser) {
    auto& self = reader(parser);
    self.on_complete();
    http_parser_pause(parser, 1);
    return go_on(self);
  }
  static const http_parser_settings& settings() {
    static const http_parser_settings all = [] {
      // Ours are the limits, and answered one by one.
      http_parser_set_max_header_size(std::numeric_limits<uint32_t>::max() / 2);
      http_parser_settings made;
      http_parser_settings_init(&made);
      made.on_message_begin = on_begin;
      made.on_url = on_url;
      made.on_header_field = on_field;
      made.on_header_value = on_value;
      made.on_headers_complete = on_head;
      made.on_body = on_body;
      made.on_message_complete = on_complete;
      return made;
    }();
    return all;
  }
};

RequestReader::RequestReader(const ReaderLimits& limits) : limits_(limits) { reset(); }

void RequestReader::reset() {
  Callbacks::settings();
  http_parser_init(&parser_, HTTP_REQUEST);
  parser_.data = this;
  state_ = State::Start;
  request_ = {};
  header_ = {};
  is_in_value_ = false;
  head_bytes_ = 0;
  body_ = std::make_shared<RequestBody>(limits_.body_bytes_in_memory, limits_.body_directory);
  expects_continue_ = false;
  keeps_alive_ = false;
}

size_t RequestReader::take(std::string_view bytes) {
  if (state_ == State::Start && !bytes.empty()) first_byte_ = bytes.front();
  const size_t taken = http_parser_execute(&parser_, &Callbacks::settings(), bytes.data(), bytes.size());
  const auto error = HTTP_PARSER_ERRNO(&parser_);
  if (state_ == State::Complete || state_ == State::Refused) return std::min(taken, bytes.size());
  if (error != HPE_OK) refuse_for(error);
  return std::min(taken, bytes.size());
}

void RequestReader::refuse(int status, std::string line) {
  state_ = State::Refused;
  refusal_ = plain_response(status, line);
}

void RequestReader::refuse_for(http_errno error) {
  switch (error) {
    case HPE_INVALID_METHOD:
      if (first_byte_ < 'A' || first_byte_ > 'Z') break;  // no method at all
      return refuse(501, "no such method; expected GET, HEAD, POST, PUT, DELETE or OPTIONS");
    case HPE_INVALID_VERSION: return refuse(505, "another version of HTTP; expected HTTP/1.1");
    case HPE_HEADER_OVERFLOW: return refuse(431, "the head of the request is too long");
    default: break;
  }
  refuse(400, fmt::format("this is no HTTP request: {}", http_errno_description(error)));
}

void RequestReader::on_header_text(std::string& into, std::string_view text) {
  head_bytes_ += text.size();
  if (head_bytes_ > limits_.head_bytes_max) {
    return refuse(431, fmt::format("the headers are longer than {} bytes together", limits_.head_bytes_max));
  }
  if (state_ == State::Head) into += text;  // trailers count, and are not kept
}

void RequestReader::end_header() {
  if (request_.headers.size() >= limits_.header_count_max) {
    return refuse(431, fmt::format("there are more than {} headers", limits_.header_count_max));
  }
  request_.headers.push_back(std::exchange(header_, {}));
  is_in_value_ = false;
}

void RequestReader::on_head() {
  if (!header_.name.empty()) end_header();
  if (state_ == State::Refused) return;
  if (parser_.http_major != 1 || parser_.http_minor > 1) return refuse_for(HPE_INVALID_VERSION);
  request_.method = http_method_str(static_cast<http_method>(parser_.method));
  request_.is_http_1_0 = parser_.http_minor == 0;
  const std::string_view target = request_.target;
  const auto question = std::min(target.find('?'), target.size());
  auto path = percent_decode(target.substr(0, question), false);
  if (!path.ok()) return refuse(400, path.error().message);
  request_.path = std::move(path).value();
  request_.query = target.substr(std::min(question + 1, target.size()));
  // RFC 9112 section 3.2: whoever says HTTP/1.1 says which host, once.
  const auto hosts = std::count_if(request_.headers.begin(), request_.headers.end(),
                                   [](const Header& header) { return io::equals_ignoring_case(header.name, "Host"); });
  if (hosts != 1 && !(hosts == 0 && request_.is_http_1_0)) {
    return refuse(400, fmt::format("{} Host headers; expected one", hosts));
  }

  body_bytes_max_ = limits_.body_bytes_max ? limits_.body_bytes_max(request_) : uint64_t{1} << 30;
  const bool has_length = (parser_.flags & F_CONTENTLENGTH) != 0;
  if (has_length && parser_.content_length > body_bytes_max_) {
    return refuse(413, fmt::format("the body is larger than the {} bytes that are allowed", body_bytes_max_));
  }
  if (const auto expect = request_.header("Expect"); !expect.empty()) {
    if (!io::equals_ignoring_case(expect, "100-continue")) {
      return refuse(417, "Expect: expected 100-continue, or nothing");
    }
    expects_continue_ = !request_.is_http_1_0;
  }
  state_ = State::Body;
}

void RequestReader::on_complete() {
  if (state_ == State::Refused) return;
  const auto body = body_->view();
  if (!body.ok()) return refuse(500, body.error().message);
  request_.body = *body;
  keeps_alive_ = http_should_keep_alive(&parser_) != 0;
  state_ = State::Complete;
}

}  // namespace quadrille::http
