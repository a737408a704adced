#include "bench/crash_soak/link.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <thread>

#include "bench/crash_soak/site.h"

namespace quadrille::crash_soak {
namespace {

// One that the system has just given, and is not likely to give again at once.
int free_port() {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  const bool is_bound = ::bind(listener, reinterpret_cast<sockaddr*>(&address), length) == 0 &&
                        ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length) == 0;
  ::close(listener);
  if (!is_bound) throw std::runtime_error("there is no free port");
  return ntohs(address.sin_port);
}

}  // namespace

Link::Link(const std::string& program, const std::string& target, int delay_ms, const std::filesystem::path& output) {
  constexpr int tries = 20;
  const auto target_port = target.substr(target.rfind(':') + 1);
  for (int i = 0; i < tries; ++i) {
    const int port = free_port();
    std::filesystem::remove(output);
    process_ = start_process({program, "--delay-ms", std::to_string(delay_ms), fmt::format("{}={}", port, target_port)},
                             output, output);
    for (int waited = 0; waited < 500 && read_file(output).find("ready") == std::string::npos; ++waited) {
      if (::waitpid(process_, nullptr, WNOHANG) == process_) break;  // somebody else got the port
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    if (read_file(output).find("ready") == std::string::npos) continue;
    address_ = fmt::format("127.0.0.1:{}", port);
    return;
  }
  throw std::runtime_error("a link does not start: " + read_file(output));
}

Link::~Link() {
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

void Link::cut() { ::kill(process_, SIGUSR1); }
void Link::heal() { ::kill(process_, SIGUSR2); }

}  // namespace quadrille::crash_soak
