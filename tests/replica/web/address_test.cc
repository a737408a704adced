#include "replica/web/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <string>

using quadrille::web::is_public_address;

namespace {

bool is_public(const std::string& text) {
  sockaddr_storage storage{};
  if (text.find(':') == std::string::npos) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    REQUIRE(inet_pton(AF_INET, text.c_str(), &address.sin_addr) == 1);
    std::memcpy(&storage, &address, sizeof address);
  } else {
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    REQUIRE(inet_pton(AF_INET6, text.c_str(), &address.sin6_addr) == 1);
    std::memcpy(&storage, &address, sizeof address);
  }
  return is_public_address(reinterpret_cast<const sockaddr&>(storage));
}

}  // namespace

TEST_CASE("addresses of this machine, of private and of special networks are not public") {
  for (const char* const text : {"0.0.0.0",
                                 "0.1.2.3",
                                 "10.0.0.1",
                                 "10.255.255.255",
                                 "100.64.0.1",
                                 "100.127.255.255",
                                 "127.0.0.1",
                                 "127.9.9.9",
                                 "169.254.169.254",
                                 "172.16.0.1",
                                 "172.31.255.255",
                                 "192.0.0.8",
                                 "192.0.2.1",
                                 "192.168.1.1",
                                 "198.18.0.1",
                                 "198.19.255.255",
                                 "198.51.100.7",
                                 "203.0.113.9",
                                 "224.0.0.1",
                                 "239.1.1.1",
                                 "240.0.0.1",
                                 "255.255.255.255",
                                 "::",
                                 "::1",
                                 "::ffff:127.0.0.1",
                                 "::ffff:10.1.2.3",
                                 "::ffff:192.168.0.1",
                                 "::127.0.0.1",
                                 "64:ff9b::a00:1",
                                 "fc00::1",
                                 "fd12:3456::1",
                                 "fe80::1",
                                 "fec0::1",
                                 "ff02::1",
                                 "2001::1",
                                 "2001:db8::1",
                                 "2002:7f00:1::",
                                 "2002:a00:1::",
                                 "100::1",
                                 "3fff::1"}) {
    INFO(text);
    CHECK_FALSE(is_public(text));
  }
}

TEST_CASE("addresses of the internet are public") {
  for (const char* const text :
       {"1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.1",
        "172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0", "223.255.255.255", "::ffff:8.8.8.8",
        "2001:4860:4860::8888", "2606:4700::1111", "2002:808:808::"}) {
    INFO(text);
    CHECK(is_public(text));
  }
}

TEST_CASE("what is no address of the internet protocol is not public") {
  sockaddr address{};
  address.sa_family = AF_UNIX;
  CHECK_FALSE(is_public_address(address));
}
