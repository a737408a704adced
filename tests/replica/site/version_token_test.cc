#include "replica/site/version_token.h"

#include <catch2/catch.hpp>
#include <string>

#include "replica/site/changeset_memory.h"

using namespace quadrille;
using replica::VersionToken;

namespace {

log::ChangesetHeader header(const std::string& site, uint64_t seq, uint8_t hash) {
  log::ChangesetHeader header;
  header.id = {{site, 1}, seq};
  header.hash.fill(hash);
  return header;
}

}  // namespace

TEST_CASE("a version token reads back as it was written, with and without hashes") {
  const VersionToken token{{{{{"ams", 0xff103bb15e44e09e}, 12}, 0x9f86d081u}, {{{"n-y-c", 7}, UINT64_MAX}, {}}}};
  const auto text = to_string(token);
  CHECK(text == "ams.ff103bb15e44e09e:12:9f86d081,n-y-c.0000000000000007:18446744073709551615");
  CHECK(replica::parse_version_token(text).value() == token);
  CHECK(replica::parse_version_token("").value().entries.empty());
}

TEST_CASE("tokens joined by commas, with or without spaces, are one token") {
  const auto joined =
      replica::parse_version_token(" ams.0000000000000001:2:00000001 , ams.0000000000000001:3,").value();
  REQUIRE(joined.entries.size() == 2);
  CHECK(joined.entries[1].changeset.seq == 3);
}

TEST_CASE("a malformed version token is refused in one line that says what was expected") {
  for (const std::string text :
       {"x", "ams:1", "ams.00:1", "ams.0000000000000001", "ams.0000000000000001:", "ams.0000000000000001:0",
        "ams.0000000000000001:-1", "ams.0000000000000001:1:", "ams.0000000000000001:1:123",
        "ams.0000000000000001:1:1234567g", "ams.0000000000000001:1:12345678:9",
        "ams.0000000000000001:99999999999999999999", "AMS.0000000000000001:1", "{ams.0000000000000001:1}", "a\nb",
        "\xff"}) {
    CAPTURE(text);
    const auto parsed = replica::parse_version_token(text);
    REQUIRE_FALSE(parsed.ok());
    CHECK(parsed.error().kind == base::ErrorKind::InvalidInput);
    CHECK(parsed.error().message.find("expected SITE.INCARNATION:NUMBER:HASH") != std::string::npos);
    CHECK(parsed.error().message.find('\n') == std::string::npos);
  }
}

TEST_CASE("a version token of too many entries is refused") {
  std::string text = "ams.0000000000000001:1";
  for (size_t i = 1; i < replica::token_entries_max; ++i) text += ",ams.0000000000000001:1";
  CHECK(replica::parse_version_token(text).ok());
  CHECK_FALSE(replica::parse_version_token(text + ",ams.0000000000000001:1").ok());
}

TEST_CASE("hashes of the last changesets of each origin are remembered, and no others") {
  replica::ChangesetMemory memory(3);
  for (uint64_t seq = 5; seq <= 9; ++seq) memory.add(header("ams", seq, static_cast<uint8_t>(seq)));
  memory.add(header("nyc", 1, 0xaa));
  CHECK_FALSE(memory.find({{"ams", 1}, 4}));
  CHECK_FALSE(memory.find({{"ams", 1}, 6}));
  CHECK(memory.find({{"ams", 1}, 7}) == 0x07070707u);
  CHECK(memory.find({{"ams", 1}, 9}) == 0x09090909u);
  CHECK_FALSE(memory.find({{"ams", 1}, 10}));
  CHECK_FALSE(memory.find({{"ams", 2}, 7}));
  CHECK(memory.find({{"nyc", 1}, 1}) == 0xaaaaaaaau);
}

TEST_CASE("what was answered and is not durable yet is open, by number and hash, until its group is over") {
  replica::ChangesetMemory memory;
  const auto lost = header("ams", 5, 1);
  const auto next = header("ams", 5, 2);  // of the group that follows one that failed
  memory.add_open(lost);
  memory.add_open(next);
  CHECK(memory.is_open(replica::token_of(lost).entries[0]));
  memory.end_open(lost);
  CHECK_FALSE(memory.is_open(replica::token_of(lost).entries[0]));
  CHECK(memory.is_open(replica::token_of(next).entries[0]));
  CHECK(memory.is_open({{{"ams", 1}, 5}, {}}));
  memory.end_open(next);
  CHECK_FALSE(memory.is_open({{{"ams", 1}, 5}, {}}));
}
