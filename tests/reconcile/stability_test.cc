#include <catch2/catch.hpp>

#include "reconcile/stability.h"

using namespace quadrille;
using log::SiteId;
using log::VersionVector;
using reconcile::Heartbeat;
using reconcile::Stability;

namespace {

const SiteId ams{"ams", 1};
const SiteId nyc{"nyc", 2};
const SiteId sgp{"sgp", 3};

VersionVector vector_of(uint64_t at_ams, uint64_t at_nyc, uint64_t at_sgp) {
  VersionVector vector;
  vector.raise(ams, at_ams);
  vector.raise(nyc, at_nyc);
  vector.raise(sgp, at_sgp);
  return vector;
}

log::ChangesetHeader changeset(const SiteId& origin, uint64_t seq, VersionVector seen) {
  log::ChangesetHeader header;
  header.id = {origin, seq};
  header.dependencies = std::move(seen);
  return header;
}

Heartbeat heartbeat(const SiteId& site, uint64_t number, VersionVector vector) {
  return {site, number, {}, std::move(vector)};
}

}  // namespace

TEST_CASE("nothing is stable before every member was heard of") {
  Stability stability(ams, {"ams", "nyc", "sgp"});
  const VersionVector own = vector_of(1, 0, 0);
  stability.on_changeset(changeset(ams, 1, {}));
  CHECK(stability.stable(own).empty());
  stability.on_heartbeat(heartbeat(nyc, 1, vector_of(1, 0, 0)), own);
  CHECK(stability.stable(own).empty());
  CHECK(stability.waiting_for(own) == std::vector<std::string>{"sgp"});
  stability.on_heartbeat(heartbeat(sgp, 1, vector_of(1, 0, 0)), own);
  CHECK(stability.stable(own) == vector_of(1, 0, 0));
  CHECK(stability.waiting_for(own).empty());
}

TEST_CASE("a changeset says what its origin has, itself included") {
  Stability stability(ams, {"ams", "nyc"});
  stability.on_changeset(changeset(ams, 1, {}));
  stability.on_changeset(changeset(nyc, 1, vector_of(1, 0, 0)));
  CHECK(stability.stable(vector_of(1, 1, 0)) == vector_of(1, 1, 0));
}

TEST_CASE("a site alone finds all that it has stable") {
  Stability stability(ams, {"ams"});
  CHECK(stability.stable(vector_of(4, 0, 0)) == vector_of(4, 0, 0));
}

TEST_CASE("a heartbeat that overtakes a changeset counts only once the changeset is here") {
  Stability stability(ams, {"ams", "nyc"});
  stability.on_changeset(changeset(ams, 1, {}));
  // nyc wrote its changeset 1 without having seen ours, then took ours in: its heartbeat says both.
  stability.on_heartbeat(heartbeat(nyc, 1, vector_of(1, 1, 0)), vector_of(1, 0, 0));
  CHECK(stability.stable(vector_of(1, 0, 0)).empty());
  stability.on_changeset(changeset(nyc, 1, {}));
  CHECK(stability.stable(vector_of(1, 1, 0)) == vector_of(1, 1, 0));
}

TEST_CASE("a late or repeated heartbeat takes nothing back") {
  Stability stability(ams, {"ams", "nyc"});
  const VersionVector own = vector_of(5, 0, 0);
  for (uint64_t seq = 1; seq <= 5; ++seq) stability.on_changeset(changeset(ams, seq, vector_of(seq - 1, 0, 0)));
  stability.on_heartbeat(heartbeat(nyc, 2, vector_of(4, 0, 0)), own);
  stability.on_heartbeat(heartbeat(nyc, 1, vector_of(2, 0, 0)), own);
  CHECK(stability.stable(own) == vector_of(4, 0, 0));
}

TEST_CASE("heartbeats that wait are bounded, and the oldest and the newest are kept") {
  Stability stability(ams, {"ams", "nyc"});
  for (uint64_t i = 1; i <= 1000; ++i) stability.on_heartbeat(heartbeat(nyc, i, vector_of(0, i, 0)), {});
  stability.on_changeset(changeset(nyc, 1, {}));
  CHECK(stability.stable(vector_of(0, 1, 0)) == vector_of(0, 1, 0));
  for (uint64_t seq = 2; seq <= 1000; ++seq) stability.on_changeset(changeset(nyc, seq, vector_of(0, seq - 1, 0)));
  CHECK(stability.stable(vector_of(0, 1000, 0)) == vector_of(0, 1000, 0));
}
