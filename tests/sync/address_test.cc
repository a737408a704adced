#include "sync/address.h"

#include <catch2/catch.hpp>

using namespace quadrille;

TEST_CASE("addresses are a host and a port") {
  const auto plain = sync::parse_host_port("127.0.0.1:7878");
  REQUIRE(plain.ok());
  CHECK(plain->host == "127.0.0.1");
  CHECK(plain->port == 7878);
  const auto v6 = sync::parse_host_port("[::1]:0");
  REQUIRE(v6.ok());
  CHECK(v6->host == "::1");
  CHECK(v6->port == 0);
  for (const char* wrong : {"", "host", "host:", ":1", "host:65536", "host:-1", "host:1x", "::1:7878"}) {
    INFO(wrong);
    CHECK_FALSE(sync::parse_host_port(wrong).ok());
  }
}
