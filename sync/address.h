// "HOST:PORT", as people write it: a name, an IPv4 address, or an IPv6 address in brackets.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace quadrille::sync {

struct HostPort {
  std::string host;  // without brackets
  uint16_t port = 0;
};

base::Result<HostPort> parse_host_port(std::string_view text);

}  // namespace quadrille::sync
