// A link between two sites that can be cut: `quadrille-link` as a process of its own.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace quadrille::crash_soak {

class Link {
 public:
  // To an address on loopback, "127.0.0.1:1234". Throws std::runtime_error if it does not start.
  Link(const std::string& program, const std::string& target, int delay_ms, const std::filesystem::path& output);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  const std::string& address() const { return address_; }  // to connect to instead
  void cut();
  void heal();

 private:
  pid_t process_ = -1;
  std::string address_;
};

}  // namespace quadrille::crash_soak
