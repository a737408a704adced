// What all connections of a server share: limits, counts, the handler of requests, and who is idle. Callable from any
// thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "replica/http/message.h"
#include "replica/http/receiver.h"
#include "replica/http/request_reader.h"
#include "replica/http/server.h"

namespace quadrille::http {

class Connection;

class ConnectionHub {
 public:
  ConnectionHub(ReaderLimits reader_limits, ServerTimes server_times, size_t connections_max, Handler on_request)
      : limits(std::move(reader_limits)),
        times(server_times),
        handler(std::move(on_request)),
        connections_max_(connections_max) {}

  const ReaderLimits limits;
  const ServerTimes times;
  const Handler handler;
  std::atomic<uint64_t> bytes_received{0};
  std::atomic<uint64_t> bytes_sent{0};
  std::atomic<uint64_t> dropped{0};

  // False: there are too many, and none is idle.
  bool enter(const std::shared_ptr<Connection>& connection);
  void leave(const Connection* connection);
  // It waits for a request; or it does no more.
  void set_idle(const Connection* connection, bool is_idle);

  void begin_exchange(std::shared_ptr<Receiver> receiver);
  void end_exchange(const Receiver* receiver);

  ServerCounts counts() const;

  // No request is taken any more. Waits that long at most for answers under way; then nobody waits for any.
  void stop(int patience_ms);
  bool is_stopping() const noexcept { return is_stopping_; }
  void drop_all();

 private:
  struct Entry {
    std::weak_ptr<Connection> connection;
    std::list<const Connection*>::iterator idle;  // end(): it is not
  };

  const size_t connections_max_;
  std::atomic<bool> is_stopping_{false};
  mutable std::mutex mutex_;  // of what follows
  std::condition_variable none_left_;
  std::unordered_map<const Connection*, Entry> connections_;
  std::list<const Connection*> idle_;  // the longest first
  std::unordered_map<const Receiver*, std::shared_ptr<Receiver>> receivers_;
  uint64_t accepted_ = 0;
};

}  // namespace quadrille::http
