// One client's connection: reads a request, has it answered, sends the answer, and goes on with the next.
//
// All of it happens on the socket's strand, but for what is said otherwise. It lives as long as something is under way
// for it: a read, a write, a timer, or an exchange.
#pragma once

#include <array>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "replica/http/client_stream.h"
#include "replica/http/connection_hub.h"
#include "replica/http/receiver.h"
#include "replica/http/request_reader.h"

namespace quadrille::http {

class Connection final : public std::enable_shared_from_this<Connection> {
 public:
  Connection(asio::ip::tcp::socket socket, ClientStream::Context context, std::shared_ptr<ConnectionHub> hub);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Once it is in a shared_ptr, and in the hub.
  void start();

  // From any thread: sends bytes of the answer under way, in order. `sent` is called when the system has taken them;
  // dropped if it never does.
  void send(std::string bytes, std::function<void()> sent = nullptr);
  enum class End : uint8_t {
    Whole,  // the next request may come
    Last,   // it was the last one
    Reset,  // so that its end does not look like one, where its length was not told; what was sent before may be lost
  };
  // From any thread: the answer is over, once what was sent before has gone out.
  void end_answer(End end);
  // From any thread: closed at once.
  void drop();

 private:
  using Clock = std::chrono::steady_clock;
  enum class Phase : uint8_t { Handshake, Reading, Answering, Goodbye, Closed };
  struct Piece {
    std::string bytes;
    std::function<void()> sent;
  };

  void wait_for_request();
  void read_more();
  void on_read(const asio::error_code& error, size_t count);
  void feed(std::string_view bytes);
  void look_at_deadline(RequestReader::State before, size_t count);
  void dispatch();
  void refuse(const Response& response);
  void write_next();
  void on_written(const asio::error_code& error, size_t count);
  void on_all_written();
  void say_goodbye();
  void close();
  void set_deadline(Clock::time_point deadline);
  void cancel_deadline();
  void on_deadline();

  std::shared_ptr<ConnectionHub> hub_;
  ClientStream stream_;
  asio::steady_timer timer_;
  uint64_t deadline_number_ = 0;
  RequestReader reader_;
  Phase phase_ = Phase::Handshake;
  std::array<char, size_t{64} << 10> buffer_;
  bool is_reading_ = false;
  std::string ahead_;                   // what came after the request that is being answered
  Clock::time_point body_end_{};        // when the body must be here
  bool is_continue_said_ = false;       // to "Expect: 100-continue"
  std::shared_ptr<Receiver> receiver_;  // while an answer is under way
  bool keeps_alive_ = false;
  std::deque<Piece> pieces_;
  size_t written_ = 0;  // of the first piece
  bool is_writing_ = false;
  std::optional<End> end_;
};

}  // namespace quadrille::http
