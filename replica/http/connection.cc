#include "replica/http/connection.h"

#include <asio/dispatch.hpp>
#include <asio/post.hpp>
#include <utility>

#include "replica/http/server_exchange.h"

namespace quadrille::http {
namespace {

using std::chrono::milliseconds;

constexpr size_t ahead_max = size_t{64} << 10;
constexpr size_t bytes_a_ms = 1;  // about a KiB a second: who is slower is dropped, after a while

}  // namespace

Connection::Connection(asio::ip::tcp::socket socket, ClientStream::Context context, std::shared_ptr<ConnectionHub> hub)
    : hub_(std::move(hub)),
      stream_(std::move(socket), std::move(context)),
      timer_(stream_.socket().get_executor()),
      reader_(hub_->limits) {}

Connection::~Connection() {
  hub_->leave(this);
  if (receiver_) receiver_->leave();
}

void Connection::start() {
  asio::dispatch(stream_.socket().get_executor(), [self = shared_from_this()] {
    self->hub_->set_idle(self.get(), true);
    self->set_deadline(Clock::now() + milliseconds(self->hub_->times.head_ms));
    if (!self->stream_.is_encrypted()) {
      self->phase_ = Phase::Reading;
      return self->read_more();
    }
    self->stream_.async_handshake([self](const asio::error_code& error) {
      if (error || self->phase_ != Phase::Handshake) return self->close();
      self->phase_ = Phase::Reading;
      self->read_more();
    });
  });
}

// After an answer.
void Connection::wait_for_request() {
  phase_ = Phase::Reading;
  reader_.reset();
  is_continue_said_ = false;
  hub_->set_idle(this, true);
  set_deadline(Clock::now() + milliseconds(hub_->times.idle_ms));
  const std::string ahead = std::exchange(ahead_, {});
  feed(ahead);
}

// Also while an answer is made: so it is seen early that the client has gone.
void Connection::read_more() {
  if (is_reading_ || phase_ == Phase::Closed || ahead_.size() >= ahead_max) return;
  is_reading_ = true;
  stream_.async_read_some(asio::buffer(buffer_),
                          [self = shared_from_this()](const asio::error_code& error, size_t count) {
                            self->is_reading_ = false;
                            self->on_read(error, count);
                          });
}

void Connection::on_read(const asio::error_code& error, size_t count) {
  if (error) return close();
  hub_->bytes_received += count;
  if (phase_ == Phase::Goodbye) return read_more();  // and is not looked at
  if (phase_ == Phase::Reading) return feed({buffer_.data(), count});
  ahead_.append(buffer_.data(), count);
  read_more();
}

void Connection::feed(std::string_view bytes) {
  const auto before = reader_.state();
  const size_t count = bytes.size();
  while (!bytes.empty() && phase_ == Phase::Reading) {
    bytes.remove_prefix(reader_.take(bytes));
    if (reader_.state() == RequestReader::State::Complete) dispatch();
    if (reader_.state() == RequestReader::State::Refused) refuse(reader_.refusal());
  }
  if (phase_ == Phase::Reading) {
    look_at_deadline(before, count);
  } else if (phase_ == Phase::Answering) {
    ahead_ += bytes;
  }
  read_more();
}

void Connection::look_at_deadline(RequestReader::State before, size_t count) {
  using State = RequestReader::State;
  const auto state = reader_.state();
  const auto now = Clock::now();
  if (state == State::Head && before == State::Start) {
    return set_deadline(now + milliseconds(hub_->times.head_ms));
  }
  if (state != State::Body) return;
  if (before != State::Body) {
    hub_->set_idle(this, false);
    body_end_ = now + milliseconds(hub_->times.slow_ms);
  }
  const auto most = now + milliseconds(2 * hub_->times.slow_ms);  // who was quick may not be as slow as it likes
  body_end_ = std::min(body_end_ + milliseconds(count / bytes_a_ms), most);
  set_deadline(body_end_);
  if (!reader_.expects_continue() || is_continue_said_) return;
  is_continue_said_ = true;
  pieces_.push_back({"HTTP/1.1 100 Continue\r\n\r\n", nullptr});
  write_next();
}

void Connection::dispatch() {
  phase_ = Phase::Answering;
  hub_->set_idle(this, false);
  cancel_deadline();
  keeps_alive_ = reader_.keeps_alive() && !hub_->is_stopping();
  auto request = reader_.take_request();
  request.is_encrypted = stream_.is_encrypted();
  receiver_ = std::make_shared<Receiver>();
  end_.reset();
  hub_->handler(std::make_shared<ServerExchange>(std::move(request), reader_.take_body(), shared_from_this(), receiver_,
                                                 hub_, keeps_alive_));
}

// A last answer to what is no request that can be answered.
void Connection::refuse(const Response& response) {
  phase_ = Phase::Answering;
  hub_->set_idle(this, false);
  cancel_deadline();
  ahead_.clear();
  pieces_.push_back({whole_answer(response, {}, false, false, true), nullptr});
  end_ = End::Last;
  write_next();
}

void Connection::send(std::string bytes, std::function<void()> sent) {
  asio::post(stream_.socket().get_executor(),
             [self = shared_from_this(), bytes = std::move(bytes), sent = std::move(sent)]() mutable {
               if (self->phase_ != Phase::Answering) return;
               self->pieces_.push_back({std::move(bytes), std::move(sent)});
               self->write_next();
             });
}

void Connection::end_answer(End end) {
  asio::post(stream_.socket().get_executor(), [self = shared_from_this(), end] {
    if (self->phase_ != Phase::Answering) return;
    self->end_ = end;
    self->write_next();
  });
}

void Connection::drop() {
  asio::post(stream_.socket().get_executor(), [self = shared_from_this()] { self->close(); });
}

void Connection::write_next() {
  if (is_writing_ || phase_ == Phase::Closed) return;
  if (pieces_.empty()) return on_all_written();
  is_writing_ = true;
  if (phase_ == Phase::Answering) set_deadline(Clock::now() + milliseconds(hub_->times.slow_ms));
  const auto& bytes = pieces_.front().bytes;
  stream_.async_write_some(asio::buffer(bytes.data() + written_, bytes.size() - written_),
                           [self = shared_from_this()](const asio::error_code& error, size_t count) {
                             self->is_writing_ = false;
                             self->on_written(error, count);
                           });
}

void Connection::on_written(const asio::error_code& error, size_t count) {
  if (error) return close();
  hub_->bytes_sent += count;
  written_ += count;
  if (!pieces_.empty() && written_ >= pieces_.front().bytes.size()) {
    if (pieces_.front().sent) pieces_.front().sent();
    pieces_.pop_front();
    written_ = 0;
  }
  write_next();
}

void Connection::on_all_written() {
  if (phase_ != Phase::Answering) return;
  cancel_deadline();
  if (!end_) return;
  receiver_.reset();
  switch (*end_) {
    case End::Whole: return keeps_alive_ && !hub_->is_stopping() ? wait_for_request() : say_goodbye();
    case End::Last: return say_goodbye();
    case End::Reset: {
      asio::error_code ignored;
      stream_.socket().set_option(asio::socket_base::linger(true, 0), ignored);
      return close();
    }
  }
}

// Reads on for a moment: a connection that is closed while bytes come in is reset, and the answer with it.
void Connection::say_goodbye() {
  phase_ = Phase::Goodbye;
  hub_->set_idle(this, true);
  set_deadline(Clock::now() + milliseconds(hub_->times.goodbye_ms));
  ahead_.clear();
  if (stream_.is_encrypted()) {
    return stream_.async_say_end([self = shared_from_this()](const asio::error_code&) { self->close(); });
  }
  asio::error_code ignored;
  stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  read_more();
}

void Connection::close() {
  if (phase_ == Phase::Closed) return;
  phase_ = Phase::Closed;
  cancel_deadline();
  if (receiver_) receiver_->leave();
  receiver_.reset();
  pieces_.clear();
  asio::error_code ignored;
  stream_.socket().close(ignored);
  hub_->leave(this);
}

void Connection::set_deadline(Clock::time_point deadline) {
  timer_.expires_at(deadline);
  // One that has run out already, and waits for its turn, does not count any more.
  timer_.async_wait([self = shared_from_this(), number = ++deadline_number_](const asio::error_code& error) {
    if (!error && number == self->deadline_number_) self->on_deadline();
  });
}

void Connection::cancel_deadline() {
  ++deadline_number_;
  timer_.cancel();
}

void Connection::on_deadline() {
  using State = RequestReader::State;
  if (phase_ == Phase::Closed) return;
  if (phase_ != Phase::Goodbye) ++hub_->dropped;
  const bool is_amid_request = phase_ == Phase::Reading && reader_.state() != State::Start && !is_writing_;
  if (!is_amid_request) return close();
  refuse({408, "text/plain; charset=utf-8", "the request came too slowly\n", {}});
}

}  // namespace quadrille::http
