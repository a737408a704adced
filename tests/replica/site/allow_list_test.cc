#include "replica/site/allow_list.h"

#include <catch2/catch.hpp>

using namespace quadrille;
using Catch::Matchers::Contains;
using replica::AllowList;
using replica::Reach;

namespace {

AllowList list_of(const std::vector<std::string>& entries) {
  auto list = AllowList::parse(entries);
  if (!list.ok()) FAIL(list.error().message);
  return std::move(list).value();
}

}  // namespace

TEST_CASE("an empty list allows nothing") {
  CHECK(AllowList().is_empty());
  CHECK(list_of({}).reach({"http", "example.org", 80, "/"}) == Reach::Nowhere);
}

TEST_CASE("an origin allows all of its paths, and no other scheme, host or port") {
  for (const char* const entry : {"http://Example.org", "HTTP://example.org:80/"}) {
    const auto list = list_of({entry});
    CHECK_FALSE(list.is_empty());
    CHECK(list.reach({"http", "example.org", 80, "/"}) == Reach::AnyAddress);
    CHECK(list.reach({"http", "example.org", 80, "/a/b"}) == Reach::AnyAddress);
    CHECK(list.reach({"https", "example.org", 443, "/"}) == Reach::Nowhere);
    CHECK(list.reach({"https", "example.org", 80, "/"}) == Reach::Nowhere);
    CHECK(list.reach({"http", "example.org", 8080, "/"}) == Reach::Nowhere);
    CHECK(list.reach({"http", "example.org.evil.net", 80, "/"}) == Reach::Nowhere);
    CHECK(list.reach({"http", "www.example.org", 80, "/"}) == Reach::Nowhere);
  }
  const auto v6 = list_of({"https://[::1]:8443/x"});
  CHECK(v6.reach({"https", "[::1]", 8443, "/x"}) == Reach::AnyAddress);
  CHECK(v6.reach({"https", "[::2]", 8443, "/x"}) == Reach::Nowhere);
}

TEST_CASE("a path allows what is below it, and not what only begins like it") {
  const auto list = list_of({"http://example.org/data"});
  CHECK(list.reach({"http", "example.org", 80, "/data"}) == Reach::AnyAddress);
  CHECK(list.reach({"http", "example.org", 80, "/data/a"}) == Reach::AnyAddress);
  CHECK(list.reach({"http", "example.org", 80, "/database"}) == Reach::Nowhere);
  CHECK(list.reach({"http", "example.org", 80, "/"}) == Reach::Nowhere);
  CHECK(list.reach({"http", "example.org", 80, "/data/%2e%2E/secret"}) == Reach::Nowhere);
  const auto folder = list_of({"http://example.org/data/"});
  CHECK(folder.reach({"http", "example.org", 80, "/data/a"}) == Reach::AnyAddress);
  CHECK(folder.reach({"http", "example.org", 80, "/data"}) == Reach::Nowhere);
}

TEST_CASE("a star allows public addresses, and leaves what is listed as it is") {
  const auto list = list_of({"*", "http://10.0.0.5:7878"});
  CHECK(list.reach({"http", "10.0.0.5", 7878, "/sparql"}) == Reach::AnyAddress);
  CHECK(list.reach({"http", "10.0.0.6", 7878, "/sparql"}) == Reach::PublicAddresses);
}

TEST_CASE("an entry that is no address is refused, with what was expected") {
  for (const char* const entry :
       {"", "example.org", "ftp://example.org", "http://", "http:///path", "http://user@example.org", "http://a:b@c",
        "http://example.org:0", "http://example.org:99999", "http://example.org:8o", "http://example.org/?q=1",
        "http://example.org/#x", "http://*.example.org", "http://exa mple.org", "http://example.org/a/../b", "**",
        "http://[::1", "http://[]", "file:///etc/passwd"}) {
    INFO(entry);
    const auto list = AllowList::parse({entry});
    REQUIRE_FALSE(list.ok());
    CHECK_THAT(list.error().message, Contains("expected http://HOST"));
  }
}
