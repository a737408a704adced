#include "replica/transport/address.h"

#include <charconv>

namespace quadrille::replica {

namespace {

base::Error not_an_address(std::string_view text, const char* expected) {
  return {base::ErrorKind::InvalidInput, "address '" + std::string(text) + "': expected " + expected, std::nullopt};
}

}  // namespace

base::Result<HostAndPort> parse_host_and_port(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return not_an_address(text, "HOST:PORT");
  std::string_view host = text.substr(0, colon);
  const std::string_view digits = text.substr(colon + 1);

  HostAndPort address;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), address.port);
  if (digits.empty() || failure != std::errc() || end != digits.data() + digits.size()) {
    return not_an_address(text, "a port from 0 to 65535 after the last ':'");
  }
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return not_an_address(text, "an IPv6 address in brackets, as [::1]:7879");
  }
  if (host.empty()) return not_an_address(text, "HOST:PORT");
  address.host = host;
  return address;
}

}  // namespace quadrille::replica
