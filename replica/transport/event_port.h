// Hosts a kj event loop on an Asio io_context, on one thread: while the kj loop has nothing to run, handlers of Asio
// run; while neither has, the thread sleeps in Asio until a socket, a posted handler or a kj timer wakes it.
//
//   asio::io_context io;
//   AsioEventPort port(io);
//   kj::EventLoop loop(port);
//   kj::WaitScope scope(loop);
//   AsioEventPort::share_time(scope);
//   until_shutdown.wait(scope);
//
// Other threads hand work to the loop with asio::post(io, ...). The io_context may be run by that one thread only.
#pragma once

#include <kj/async.h>
#include <kj/timer.h>

#include <atomic>
#include <memory>

namespace asio {
class io_context;
}

namespace quadrille::replica {

class AsioEventPort final : public kj::EventPort {
 public:
  // `io` outlives the port, and the port the kj loop.
  explicit AsioEventPort(asio::io_context& io);
  ~AsioEventPort() noexcept;

  // The clock and the timers of the loop. Monotonic, with the resolution of the operating system's sleep.
  kj::Timer& timer() noexcept { return timer_; }

  // Lets handlers of Asio run now and then also while the kj loop never runs dry.
  static void share_time(kj::WaitScope& scope);

  bool wait() override;
  bool poll() override;
  void wake() const override;

 private:
  class KeepRunning;

  void run_ready_handlers();
  bool take_wake() noexcept { return woken_.exchange(false); }

  asio::io_context& io_;
  kj::TimerImpl timer_;
  std::unique_ptr<KeepRunning> keep_running_;
  mutable std::atomic<bool> woken_{false};
};

}  // namespace quadrille::replica
