#include "replica/http/connection_hub.h"

#include <chrono>
#include <vector>

#include "replica/http/connection.h"

namespace quadrille::http {

bool ConnectionHub::enter(const std::shared_ptr<Connection>& connection) {
  std::shared_ptr<Connection> idlest;  // dropped without the lock
  {
    std::lock_guard lock(mutex_);
    ++accepted_;
    if (connections_.size() >= connections_max_) {
      if (idle_.empty()) return false;
      const auto found = connections_.find(idle_.front());
      idlest = found->second.connection.lock();
      idle_.pop_front();
      connections_.erase(found);
    }
    connections_.emplace(connection.get(), Entry{connection, idle_.end()});
  }
  if (idlest) {
    ++dropped;
    idlest->drop();
  }
  return true;
}

void ConnectionHub::leave(const Connection* connection) {
  std::lock_guard lock(mutex_);
  const auto found = connections_.find(connection);
  if (found == connections_.end()) return;
  if (found->second.idle != idle_.end()) idle_.erase(found->second.idle);
  connections_.erase(found);
}

void ConnectionHub::set_idle(const Connection* connection, bool is_idle) {
  std::lock_guard lock(mutex_);
  const auto found = connections_.find(connection);
  if (found == connections_.end()) return;
  auto& place = found->second.idle;
  if (is_idle == (place != idle_.end())) return;
  if (is_idle) {
    place = idle_.insert(idle_.end(), connection);
  } else {
    idle_.erase(place);
    place = idle_.end();
  }
}

void ConnectionHub::begin_exchange(std::shared_ptr<Receiver> receiver) {
  std::lock_guard lock(mutex_);
  if (is_stopping_) receiver->leave();
  const auto* key = receiver.get();
  receivers_.emplace(key, std::move(receiver));
}

void ConnectionHub::end_exchange(const Receiver* receiver) {
  std::lock_guard lock(mutex_);
  receivers_.erase(receiver);
  if (receivers_.empty()) none_left_.notify_all();
}

ServerCounts ConnectionHub::counts() const {
  std::lock_guard lock(mutex_);
  return {connections_.size(), accepted_, dropped, bytes_received, bytes_sent};
}

void ConnectionHub::stop(int patience_ms) {
  std::unique_lock lock(mutex_);
  none_left_.wait_for(lock, std::chrono::milliseconds(patience_ms), [this] { return receivers_.empty(); });
  is_stopping_ = true;
  // Nothing is sent any more, to anybody: who waits for a slow receiver, or computes for it, gives up.
  for (const auto& entry : receivers_) entry.second->leave();
}

void ConnectionHub::drop_all() {
  std::vector<std::shared_ptr<Connection>> all;
  {
    std::lock_guard lock(mutex_);
    for (const auto& entry : connections_) {
      if (auto connection = entry.second.connection.lock()) all.push_back(std::move(connection));
    }
  }
  for (const auto& connection : all) connection->drop();
}

}  // namespace quadrille::http
