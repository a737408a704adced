// HTTP requests and answers as values, without any HTTP library.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/io/output_sink.h"

namespace quadrille::http {

struct Header {
  std::string name;
  std::string value;
};

struct Request {
  std::string method;  // upper case
  std::string path;    // percent-decoded, without the query
  std::string query;   // after '?', still encoded
  std::vector<Header> headers;
  std::string_view body;  // valid as long as the exchange

  // The first of that name, in any case; empty if there is none.
  std::string_view header(std::string_view name) const noexcept;
};

struct Response {
  int status = 200;
  std::string content_type;  // empty: none
  std::string body;
  std::vector<Header> headers;  // others than Content-Type and Content-Length
};

// One request in progress, to be answered once. Its functions may be called from any thread, one at a time; who drops
// it unanswered answers 500.
class Exchange {
 public:
  virtual ~Exchange() = default;
  const Request& request() const noexcept { return request_; }
  Request& request() noexcept { return request_; }

  // True once nobody waits for the answer any more: the client has gone, or the server stops. Answering is still
  // allowed, and lost.
  virtual const std::atomic<bool>& is_abandoned() const noexcept = 0;

  virtual void respond(Response response) = 0;

  // For answers of any size: status and headers now (`head.body` is not looked at), the body as it is written. write()
  // waits for a slow receiver once a few megabytes are on their way, and fails when it is gone, or when it is still
  // that slow after `patience_ms` (Timeout). Then finish(), or the receiver is told, by a broken-off connection, that
  // the answer is not whole.
  virtual void start(Response head) = 0;
  virtual base::Result<void> write(std::string_view bytes, int64_t patience_ms) = 0;
  virtual void finish() = 0;
  virtual void break_off() = 0;

 protected:
  explicit Exchange(Request request) : request_(std::move(request)) {}

 private:
  Request request_;
};

using Handler = std::function<void(std::shared_ptr<Exchange>)>;

}  // namespace quadrille::http
