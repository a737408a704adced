#include "replica/transport/event_port.h"

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <chrono>

namespace quadrille::replica {

namespace {

// Enough to keep up with many sockets, few enough that handlers that post handlers cannot starve the kj loop.
constexpr int handlers_at_once = 64;
constexpr unsigned kj_events_between_polls = 100;

}  // namespace

// Without it an io_context that waits for nothing counts as stopped, and waiting would spin.
class AsioEventPort::KeepRunning {
 public:
  explicit KeepRunning(asio::io_context& io) : guard_(io.get_executor()) {}

 private:
  asio::executor_work_guard<asio::io_context::executor_type> guard_;
};

AsioEventPort::AsioEventPort(asio::io_context& io)
    : io_(io), timer_(kj::systemPreciseMonotonicClock().now()), keep_running_(std::make_unique<KeepRunning>(io)) {}

AsioEventPort::~AsioEventPort() noexcept = default;

void AsioEventPort::share_time(kj::WaitScope& scope) { scope.setBusyPollInterval(kj_events_between_polls); }

void AsioEventPort::run_ready_handlers() {
  for (int i = 0; i < handlers_at_once && io_.poll_one() > 0; ++i) {
  }
  timer_.advanceTo(kj::systemPreciseMonotonicClock().now());
}

bool AsioEventPort::wait() {
  if (io_.stopped()) io_.restart();
  const auto now = kj::systemPreciseMonotonicClock().now();
  KJ_IF_MAYBE (microseconds, timer_.timeoutToNextEvent(now, kj::MICROSECONDS, 1'000'000'000)) {
    if (*microseconds > 0) io_.run_one_for(std::chrono::microseconds(*microseconds));
  } else {
    io_.run_one();
  }
  run_ready_handlers();
  return take_wake();
}

bool AsioEventPort::poll() {
  if (io_.stopped()) io_.restart();
  run_ready_handlers();
  return take_wake();
}

void AsioEventPort::wake() const {
  woken_ = true;
  asio::post(io_, [] {});
}

}  // namespace quadrille::replica
