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
#include "replica/site/http_config.h"

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
  bool is_encrypted = false;
  bool is_http_1_0 = false;

  // HEAD is GET without the body, which the exchange leaves out.
  bool is_read() const noexcept { return method == "GET" || method == "HEAD"; }
  // What the client asked, as it wrote it: "http://HOST:PORT/PATH", without the query; empty if it did not say which
  // host, or no IRI comes of it.
  std::string url() const;
  std::string target;  // path and query as the client wrote them

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
  virtual ~Exchange() {
    if (observer_) observer_(outcome_);
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  const Request& request() const noexcept { return request_; }
  Request& request() noexcept { return request_; }

  // Which kind of work it is, for what counts them: "query", "update" ...; a literal.
  void set_operation(const char* operation) noexcept { operation_ = operation; }
  const char* operation() const noexcept { return operation_; }
  // Who is told, once, when it is over.
  struct Outcome {
    const char* operation;
    int status;     // of the answer
    bool is_whole;  // it was not broken off
  };
  void set_observer(std::function<void(const Outcome&)> observer) { observer_ = std::move(observer); }
  // Of who sends it; set before anything is answered (access.h).
  void set_role(replica::Role role) noexcept { role_ = role; }
  bool may(replica::Role wanted) const noexcept { return role_ >= wanted; }

  // A header that whatever is answered carries too. Before it is answered.
  void add_header(Header header) { headers_.push_back(std::move(header)); }

  // True once nobody waits for the answer any more: the client has gone, or the server stops. Answering is still
  // allowed, and lost.
  virtual const std::atomic<bool>& is_abandoned() const noexcept = 0;

  virtual void respond(Response response) = 0;

  // For answers of any size: status and headers now (`head.body` is not looked at), the body as it is written. write()
  // waits for a slow receiver once a few megabytes are on their way, and fails when it is gone, or when it is still
  // that slow after `patience_ms` (Timeout). Then finish(), or the receiver is told, by a broken-off connection, that
  // the answer is not whole. A HEAD takes no body: its write() fails, and that is that.
  virtual void start(Response head) = 0;
  virtual base::Result<void> write(std::string_view bytes, int64_t patience_ms) = 0;
  virtual void finish() = 0;
  virtual void break_off() = 0;

 protected:
  explicit Exchange(Request request) : request_(std::move(request)) {}
  const std::vector<Header>& headers() const noexcept { return headers_; }
  void note_status(int status) noexcept { outcome_ = {operation_, status, true}; }
  void note_broken() noexcept { outcome_.is_whole = false; }

 private:
  Request request_;
  const char* operation_ = "other";
  replica::Role role_ = replica::Role::Admin;
  Outcome outcome_{"other", 0, true};
  std::function<void(const Outcome&)> observer_;
  std::vector<Header> headers_;
};

using Handler = std::function<void(std::shared_ptr<Exchange>)>;

}  // namespace quadrille::http
