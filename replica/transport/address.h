// "HOST:PORT", as people write it: a name, an IPv4 address, or an IPv6 address in brackets.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace quadrille::replica {

struct HostAndPort {
  std::string host;  // without brackets
  uint16_t port = 0;
};

base::Result<HostAndPort> parse_host_and_port(std::string_view text);

}  // namespace quadrille::replica
