// Counts the open connections of a RESTinio server. RESTinio's own count lies in its acceptor, which a server destroys
// before the connections that are open at a stop, and these would still count down. Here they find that it is gone.
#pragma once

#include <memory>
#include <mutex>
#include <restinio/connection_count_limiter.hpp>
#include <utility>

namespace quadrille::http {

class ConnectionLimiter final : public restinio::connection_count_limits::impl::actual_limiter_t<std::mutex> {
 public:
  // What the limiter shares with its connections. Callable from any thread.
  class Link {
   public:
    explicit Link(ConnectionLimiter* limiter) : limiter_(limiter) {}
    void cut() {
      std::lock_guard lock(mutex_);
      limiter_ = nullptr;
    }
    void count_down() {
      std::lock_guard lock(mutex_);
      if (limiter_ != nullptr) limiter_->decrement_parallel_connections();
    }

   private:
    std::mutex mutex_;
    ConnectionLimiter* limiter_;
  };

  using actual_limiter_t::actual_limiter_t;
  ~ConnectionLimiter() { link_->cut(); }
  const std::shared_ptr<Link>& link() const noexcept { return link_; }

 private:
  std::shared_ptr<Link> link_ = std::make_shared<Link>(this);
};

// One connection, from its acceptance to its destruction.
class CountedConnection {
 public:
  explicit CountedConnection(ConnectionLimiter* limiter) : link_(limiter->link()) {
    limiter->increment_parallel_connections();
  }
  CountedConnection(CountedConnection&&) noexcept = default;
  CountedConnection& operator=(CountedConnection&& other) noexcept {
    std::swap(link_, other.link_);
    return *this;
  }
  ~CountedConnection() {
    if (link_) link_->count_down();
  }

 private:
  std::shared_ptr<ConnectionLimiter::Link> link_;
};

}  // namespace quadrille::http
