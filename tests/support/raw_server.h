// A server that says what a test wants, well-formed or not. On loopback, on a port that the system chooses.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

namespace quadrille::test {

class RawServer {
 public:
  class Connection {
   public:
    explicit Connection(int socket) : socket_(socket) { read_request(); }
    const std::string& request() const { return request_; }  // head and body
    // False once the client has gone.
    bool send(std::string_view bytes) const {
      while (!bytes.empty()) {
        const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<size_t>(sent));
      }
      return true;
    }
    // False once the client has gone; else a bit of its next request has come.
    bool wait_for_more() const {
      char some[4096];
      return ::recv(socket_, some, sizeof some, 0) > 0;
    }
    void wait_for_close() const {
      char rest = 0;
      while (::recv(socket_, &rest, 1, 0) > 0) {
      }
    }

   private:
    void read_request() {
      size_t end = std::string::npos;
      size_t wanted = 1;
      char some[4096];
      while (request_.size() < wanted) {
        const ssize_t count = ::recv(socket_, some, sizeof some, 0);
        if (count <= 0) return;
        request_.append(some, static_cast<size_t>(count));
        if (end == std::string::npos) end = request_.find("\r\n\r\n");
        wanted = request_.size() + 1;
        if (end == std::string::npos) continue;
        const size_t length = request_.find("Content-Length: ");
        wanted = end + 4 + (length < end ? std::stoul(request_.substr(length + 16)) : 0);
      }
    }
    int socket_;
    std::string request_;
  };

  // Called for each connection, on a thread of its own; the connection is closed after it.
  explicit RawServer(std::function<void(const Connection&)> answer) : answer_(std::move(answer)) {
    listening_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    REQUIRE(listening_ >= 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::bind(listening_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::listen(listening_, 64) == 0);
    socklen_t size = sizeof address;
    ::getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    accepting_ = std::thread([this] { accept_all(); });
  }
  // The same bytes for everybody.
  explicit RawServer(std::string bytes)
      : RawServer([bytes = std::move(bytes)](const Connection& connection) { connection.send(bytes); }) {}
  ~RawServer() {
    stopping_ = true;
    ::shutdown(listening_, SHUT_RDWR);
    accepting_.join();
    {
      std::lock_guard lock(mutex_);
      for (const int socket : open_) ::shutdown(socket, SHUT_RDWR);
    }
    for (auto& thread : threads_) thread.join();
    ::close(listening_);
  }
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;

  std::string url(const std::string& path = "/") const { return "http://127.0.0.1:" + std::to_string(port_) + path; }
  int connections() const { return connections_; }

  static std::string response(const std::string& type, const std::string& body, const std::string& status = "200 OK") {
    return "HTTP/1.1 " + status + "\r\nContent-Type: " + type + "\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\nConnection: close\r\n\r\n" + body;
  }
  static std::string redirect(const std::string& status, const std::string& to) {
    return "HTTP/1.1 " + status + "\r\nLocation: " + to + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
  }

 private:
  void accept_all() {
    while (!stopping_) {
      const int socket = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
      if (socket < 0) continue;
      ++connections_;
      {
        std::lock_guard lock(mutex_);
        open_.push_back(socket);
      }
      threads_.emplace_back([this, socket] {
        answer_(Connection(socket));
        std::lock_guard lock(mutex_);
        std::erase(open_, socket);
        ::close(socket);
      });
    }
  }

  std::function<void(const Connection&)> answer_;
  int listening_ = -1;
  int port_ = 0;
  std::atomic<bool> stopping_{false};
  std::atomic<int> connections_{0};
  std::mutex mutex_;  // of open_
  std::vector<int> open_;
  std::vector<std::thread> threads_;  // of the accepting thread, until it ends
  std::thread accepting_;
};

}  // namespace quadrille::test
