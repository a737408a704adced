#include "replica/web/address.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>

namespace quadrille::web {
namespace {

struct Network {
  uint32_t address;
  int bits;
};

constexpr uint32_t v4(uint32_t a, uint32_t b, uint32_t c, uint32_t d) noexcept {
  return a << 24 | b << 16 | c << 8 | d;
}

constexpr Network special[] = {
    {v4(0, 0, 0, 0), 8},                                                         // this network
    {v4(10, 0, 0, 0), 8},                                                        // private
    {v4(100, 64, 0, 0), 10},                                                     // shared by carriers
    {v4(127, 0, 0, 0), 8},                                                       // this machine
    {v4(169, 254, 0, 0), 16},                                                    // link-local
    {v4(172, 16, 0, 0), 12},                                                     // private
    {v4(192, 0, 0, 0), 24},                                                      // protocols
    {v4(192, 0, 2, 0), 24},                                                      // documentation
    {v4(192, 88, 99, 0), 24},                                                    // relays of 6to4
    {v4(192, 168, 0, 0), 16},                                                    // private
    {v4(198, 18, 0, 0), 15},                                                     // benchmarks
    {v4(198, 51, 100, 0), 24}, {v4(203, 0, 113, 0), 24}, {v4(224, 0, 0, 0), 3},  // multicast, reserved, broadcast
};

bool is_public(uint32_t address) noexcept {
  return std::none_of(std::begin(special), std::end(special),
                      [&](const Network& network) { return (address ^ network.address) >> (32 - network.bits) == 0; });
}

bool is_public(const std::array<uint8_t, 16>& address) noexcept {
  const auto v4_at = [&](size_t i) { return v4(address[i], address[i + 1], address[i + 2], address[i + 3]); };
  const bool is_mapped = std::all_of(address.begin(), address.begin() + 10, [](uint8_t byte) { return byte == 0; }) &&
                         address[10] == 0xff && address[11] == 0xff;
  if (is_mapped) return is_public(v4_at(12));
  if (address[0] >> 5 != 1) return false;  // only 2000::/3 is given to the public
  if (address[0] == 0x20 && address[1] == 0x02) return is_public(v4_at(2));
  const bool is_protocols = address[0] == 0x20 && address[1] == 0x01 && address[2] < 2;  // 2001::/23, Teredo among them
  const bool is_documentation = address[0] == 0x20 && address[1] == 0x01 && address[2] == 0x0d && address[3] == 0xb8;
  const bool is_new_documentation = address[0] == 0x3f && address[1] == 0xff && address[2] >> 4 == 0;
  return !is_protocols && !is_documentation && !is_new_documentation;
}

}  // namespace

bool is_public_address(const sockaddr& address) noexcept {
  if (address.sa_family == AF_INET) {
    sockaddr_in of_v4;
    std::memcpy(&of_v4, &address, sizeof of_v4);
    return is_public(ntohl(of_v4.sin_addr.s_addr));
  }
  if (address.sa_family != AF_INET6) return false;
  sockaddr_in6 of_v6;
  std::memcpy(&of_v6, &address, sizeof of_v6);
  std::array<uint8_t, 16> bytes;
  std::memcpy(bytes.data(), &of_v6.sin6_addr, bytes.size());
  return is_public(bytes);
}

}  // namespace quadrille::web
