// Which network addresses are somewhere on the public internet.
#pragma once

struct sockaddr;

namespace quadrille::web {

// False for this machine, private and link-local networks, and everything else that the registries of IANA
// (iana-ipv4-special-registry, iana-ipv6-special-registry) keep from global use; for an IPv4 address inside an IPv6 one
// (mapped, 6to4) as that one is. False for other families.
bool is_public_address(const sockaddr& address) noexcept;

}  // namespace quadrille::web
