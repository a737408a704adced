#include "sync/address.h"

#include <fmt/format.h>

#include <charconv>

namespace quadrille::sync {

base::Result<HostPort> parse_host_port(std::string_view text) {
  const auto wrong = [&](std::string_view why) {
    return base::Error{
        base::ErrorKind::InvalidInput, fmt::format("{}: {}; expected HOST:PORT, as in 127.0.0.1:7878", text, why), {}};
  };
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return wrong("no port");
  HostPort parsed;
  auto host = text.substr(0, colon);
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return wrong("an IPv6 address without brackets");
  }
  if (host.empty()) return wrong("no host");
  parsed.host = host;
  const auto digits = text.substr(colon + 1);
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), parsed.port);
  if (digits.empty() || read.ec != std::errc() || read.ptr != digits.data() + digits.size()) {
    return wrong(fmt::format("\"{}\" is no port", digits));
  }
  return parsed;
}

}  // namespace quadrille::sync
