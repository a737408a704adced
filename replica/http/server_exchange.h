// An exchange over a connection of the server.
#pragma once

#include <memory>
#include <string>

#include "replica/http/connection.h"
#include "replica/http/connection_hub.h"
#include "replica/http/message.h"

namespace quadrille::http {

// An answer with its body, as bytes. `common`: headers besides its own.
std::string whole_answer(const Response& response, const std::vector<Header>& common, bool is_head, bool is_http_1_0,
                         bool is_last);

class ServerExchange final : public Exchange {
 public:
  ServerExchange(Request request, std::shared_ptr<RequestBody> body, std::shared_ptr<Connection> connection,
                 std::shared_ptr<Receiver> receiver, std::shared_ptr<ConnectionHub> hub, bool keeps_alive);
  ~ServerExchange() override;

  const std::atomic<bool>& is_abandoned() const noexcept override { return receiver_->is_gone; }
  void respond(Response response) override;
  void start(Response head) override;
  base::Result<void> write(std::string_view bytes, int64_t patience_ms) override;
  void finish() override;
  void break_off() override;

 private:
  base::Result<void> send_pending(int64_t patience_ms);
  std::string take_pending();
  bool is_head() const noexcept { return request().method == "HEAD"; }

  std::shared_ptr<RequestBody> body_;  // what the request's body views
  std::shared_ptr<Connection> connection_;
  std::shared_ptr<Receiver> receiver_;
  std::shared_ptr<ConnectionHub> hub_;
  const bool keeps_alive_;
  enum class State : uint8_t { Open, Streaming, Over };
  State state_ = State::Open;
  std::string pending_;
};

}  // namespace quadrille::http
