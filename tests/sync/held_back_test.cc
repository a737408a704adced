#include "sync/held_back.h"

#include <catch2/catch.hpp>

using namespace quadrille;  // NOLINT

namespace {

const log::SiteId ams{"ams", 1};
const log::SiteId nyc{"nyc", 2};

log::ChangesetHeader header(const log::SiteId& origin, uint64_t seq, int64_t stamp_ms,
                            const std::vector<log::VersionVector::Entry>& seen = {}) {
  log::ChangesetHeader header;
  header.id = {origin, seq};
  header.stamp = {stamp_ms, 0};
  for (const auto& [site, seen_seq] : seen) header.dependencies.raise(site, seen_seq);
  return header;
}

}  // namespace

TEST_CASE("what is stamped beyond reach is held back with all that follows or depends on it, and nothing else") {
  sync::HeldBack held;
  CHECK_FALSE(held.holds(header(ams, 1, 100), 100));
  CHECK(held.holds(header(ams, 2, 101), 100));
  CHECK(held.holds(header(ams, 3, 101), 200));
  CHECK(held.holds(header(nyc, 5, 101, {{ams, 2}}), 200));
  CHECK_FALSE(held.holds(header(nyc, 4, 90, {{ams, 1}}), 200));
  CHECK(held.has(ams, 7));
  CHECK_FALSE(held.has(ams, 1));
  CHECK(held.first().at(ams) == 2);
  CHECK(held.first().at(nyc) == 5);
}

TEST_CASE("what is held back is released when its time has come, not before") {
  sync::HeldBack held;
  CHECK(held.holds(header(ams, 2, 150), 100));
  CHECK(held.holds(header(nyc, 5, 160, {{ams, 2}}), 155));
  CHECK_FALSE(held.release(149));
  CHECK(held.release(150));
  CHECK_FALSE(held.has(ams, 2));
  CHECK(held.has(nyc, 5));
  CHECK(held.release(160));
  CHECK(held.entries().empty());
}

// Else its sender could have this site ask for it again and again.
TEST_CASE("what depends on something that is held back waits for that too, also where its own stamp breaks the rules") {
  sync::HeldBack held;
  CHECK(held.holds(header(ams, 1, 500), 100));
  CHECK(held.holds(header(nyc, 1, 50, {{ams, 1}}), 100));
  CHECK_FALSE(held.release(499));
  CHECK(held.has(nyc, 1));
}
