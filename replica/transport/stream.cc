#include "replica/transport/stream.h"

#include <kj/exception.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <asio/buffer.hpp>
#include <cstring>
#include <string>
#include <system_error>
#include <vector>

namespace quadrille::replica {

namespace {

using Bytes = kj::ArrayPtr<const kj::byte>;

constexpr size_t read_ahead_bytes = 64 * 1024;
constexpr size_t pieces_at_once = 64;  // as many as Asio passes to one system call
// A peer that sends without pause must not keep the loop from its other sockets and timers: after so many reads or
// writes in a row that did not have to wait, the next one goes through Asio.
constexpr int immediate_operations_in_a_row = 32;

kj::Exception disconnected(const char* operation, const std::error_code& error) {
  return kj::Exception(kj::Exception::Type::DISCONNECTED, __FILE__, __LINE__,
                       kj::str(operation, ": ", error.message().c_str()));
}

bool must_wait(const std::error_code& error) {
  return error == asio::error::would_block || error == asio::error::try_again || error == asio::error::interrupted;
}

class AsioStream final : public kj::AsyncIoStream {
 public:
  explicit AsioStream(asio::ip::tcp::socket socket)
      : socket_(std::move(socket)), read_ahead_(kj::heapArray<kj::byte>(read_ahead_bytes)) {
    std::error_code ignored;  // a socket that is already dead says so at the first read
    socket_.non_blocking(true, ignored);
    socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
    socket_.set_option(asio::socket_base::keep_alive(true), ignored);
  }
  ~AsioStream() noexcept {
    std::error_code ignored;
    socket_.close(ignored);
  }

  kj::Promise<size_t> tryRead(void* buffer, size_t min_bytes, size_t max_bytes) override {
    return read_from(static_cast<kj::byte*>(buffer), min_bytes, max_bytes, 0);
  }
  kj::Promise<void> write(const void* buffer, size_t size) override {
    return write_from({Bytes(static_cast<const kj::byte*>(buffer), size)}, 0);
  }
  kj::Promise<void> write(kj::ArrayPtr<const Bytes> pieces) override {
    return write_from(std::vector<Bytes>(pieces.begin(), pieces.end()), 0);
  }

  kj::Promise<void> whenWriteDisconnected() override {
    KJ_IF_MAYBE (known, write_disconnected_) return known->addBranch();
    auto fork = watch_for_hang_up().fork();
    auto branch = fork.addBranch();
    write_disconnected_ = kj::mv(fork);
    return branch;
  }
  void shutdownWrite() override {
    std::error_code ignored;
    socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  }
  void abortRead() override {
    std::error_code ignored;
    socket_.shutdown(asio::ip::tcp::socket::shutdown_receive, ignored);
  }

 private:
  // The handler owns nothing of this stream, so it may run after it.
  kj::Promise<void> ready(asio::socket_base::wait_type what) {
    auto [promise, fulfiller] = kj::newPromiseAndFulfiller<void>();
    socket_.async_wait(what, [done = kj::mv(fulfiller)](const std::error_code& error) mutable {
      if (error && error != asio::error::operation_aborted) {
        done->reject(disconnected("waiting for a socket", error));
      } else {
        done->fulfill();
      }
    });
    return kj::mv(promise);
  }

  size_t take_read_ahead(kj::byte* to, size_t max_bytes) {
    const size_t count = std::min(max_bytes, unread_.size());
    if (count > 0) std::memcpy(to, unread_.begin(), count);
    unread_ = unread_.slice(count, unread_.size());
    return count;
  }

  // One system call: into the caller's buffer if that is large, else into ours, to save the next ones.
  size_t read_some(kj::byte* to, size_t max_bytes, std::error_code& error) {
    if (max_bytes >= read_ahead_.size()) return socket_.read_some(asio::buffer(to, max_bytes), error);
    const size_t count = socket_.read_some(asio::buffer(read_ahead_.begin(), read_ahead_.size()), error);
    unread_ = read_ahead_.slice(0, count);
    return take_read_ahead(to, max_bytes);
  }

  kj::Promise<size_t> read_from(kj::byte* buffer, size_t min_bytes, size_t max_bytes, size_t already) {
    already += take_read_ahead(buffer + already, max_bytes - already);
    while (already < min_bytes) {
      std::error_code error;
      if (++reads_in_a_row_ > immediate_operations_in_a_row) {
        error = asio::error::would_block;
      } else {
        already += read_some(buffer + already, max_bytes - already, error);
      }
      if (error == asio::error::eof) return already;
      if (must_wait(error)) {
        reads_in_a_row_ = 0;
        return ready(asio::socket_base::wait_read).then([=, this] {
          return read_from(buffer, min_bytes, max_bytes, already);
        });
      }
      if (error) return disconnected("reading from a socket", error);
    }
    return already;
  }

  // `pieces` from `first` on are yet to be written.
  kj::Promise<void> write_from(std::vector<Bytes> pieces, size_t first) {
    while (true) {
      while (first < pieces.size() && pieces[first].size() == 0) ++first;
      if (first == pieces.size()) return kj::READY_NOW;
      std::error_code error;
      size_t written = 0;
      if (++writes_in_a_row_ > immediate_operations_in_a_row) {
        error = asio::error::would_block;
      } else {
        written = write_some(pieces, first, error);
      }
      if (must_wait(error)) {
        writes_in_a_row_ = 0;
        return ready(asio::socket_base::wait_write).then([this, first, rest = kj::mv(pieces)]() mutable {
          return write_from(kj::mv(rest), first);
        });
      }
      if (error) return disconnected("writing to a socket", error);
      for (; written > 0;) {
        const size_t part = std::min(written, pieces[first].size());
        pieces[first] = pieces[first].slice(part, pieces[first].size());
        written -= part;
        if (pieces[first].size() == 0) ++first;
      }
    }
  }

  size_t write_some(const std::vector<Bytes>& pieces, size_t first, std::error_code& error) {
    std::array<asio::const_buffer, pieces_at_once> buffers;
    const size_t count = std::min(pieces.size() - first, buffers.size());
    for (size_t i = 0; i < count; ++i) {
      buffers[i] = asio::const_buffer(pieces[first + i].begin(), pieces[first + i].size());
    }
    for (size_t i = count; i < buffers.size(); ++i) buffers[i] = asio::const_buffer();
    return socket_.write_some(buffers, error);
  }

  kj::Promise<void> watch_for_hang_up() {
    return ready(asio::socket_base::wait_error).then([this]() -> kj::Promise<void> {
      pollfd state{socket_.native_handle(), 0, 0};
      if (!socket_.is_open() || ::poll(&state, 1, 0) < 0) return kj::READY_NOW;
      if ((state.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) return kj::READY_NOW;
      return watch_for_hang_up();  // urgent data, which nobody here speaks
    });
  }

  asio::ip::tcp::socket socket_;
  kj::Array<kj::byte> read_ahead_;
  kj::ArrayPtr<kj::byte> unread_;  // the part of read_ahead_ that nobody has asked for yet
  int reads_in_a_row_ = 0;
  int writes_in_a_row_ = 0;
  kj::Maybe<kj::ForkedPromise<void>> write_disconnected_;
};

}  // namespace

kj::Own<kj::AsyncIoStream> make_stream(asio::ip::tcp::socket socket) { return kj::heap<AsioStream>(std::move(socket)); }

}  // namespace quadrille::replica
