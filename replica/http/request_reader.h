// Reads requests from bytes as they come, by http-parser. Knows no socket. One thread at a time.
#pragma once

#include <http_parser.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "replica/http/message.h"
#include "replica/http/request_body.h"

namespace quadrille::http {

struct ReaderLimits {
  size_t url_bytes_max = size_t{64} << 10;
  size_t head_bytes_max = size_t{64} << 10;  // of all headers
  size_t header_count_max = 200;
  std::function<uint64_t(const Request&)> body_bytes_max;
  size_t body_bytes_in_memory = size_t{1} << 20;
  std::filesystem::path body_directory = ".";
};

class RequestReader {
 public:
  enum class State : uint8_t { Start, Head, Body, Complete, Refused };

  // The limits must outlive it.
  explicit RequestReader(const ReaderLimits& limits);
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  // Takes bytes until a request is complete or refused, and returns how many.
  size_t take(std::string_view bytes);
  State state() const noexcept { return state_; }

  // Body: the client waits to be told that it may send it ("Expect: 100-continue").
  bool expects_continue() const noexcept { return expects_continue_; }
  // Complete, and once only: the request, and what its body views.
  Request take_request() noexcept { return std::move(request_); }
  std::shared_ptr<RequestBody> take_body() noexcept { return std::move(body_); }
  // Complete: another request may follow on the connection.
  bool keeps_alive() const noexcept { return keeps_alive_; }
  // Refused: what to answer, before the connection is closed.
  Response refusal() const { return refusal_; }

  // Begins with the next request.
  void reset();

 private:
  struct Callbacks;
  void refuse(int status, std::string line);
  void end_header();
  void on_header_text(std::string& into, std::string_view text);
  void on_head();
  void on_complete();
  void refuse_for(http_errno error);

  const ReaderLimits& limits_;
  http_parser parser_{};
  State state_ = State::Start;
  char first_byte_ = 0;
  Request request_;
  Header header_;  // being read
  bool is_in_value_ = false;
  size_t head_bytes_ = 0;
  std::shared_ptr<RequestBody> body_;
  uint64_t body_bytes_max_ = 0;
  bool expects_continue_ = false;
  bool keeps_alive_ = false;
  Response refusal_;
};

}  // namespace quadrille::http
