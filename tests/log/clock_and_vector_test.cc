#include <catch2/catch.hpp>

#include <limits>

#include "log/site_id.h"
#include "log/stamp.h"
#include "log/version_vector.h"

using namespace quadrille;
using log::SiteId;
using log::Stamp;
using log::VersionVector;

namespace {

struct SetClock final : base::WallClock {
  int64_t now = 0;
  int64_t now_ms() const override { return now; }
};

const SiteId ams{"ams", 1};
const SiteId nyc{"nyc", 2};

VersionVector vector_of(std::initializer_list<VersionVector::Entry> entries) {
  VersionVector vector;
  for (const auto& [site, seq] : entries) vector.raise(site, seq);
  return vector;
}

}  // namespace

TEST_CASE("stamps only grow while the wall clock stands still or goes back") {
  SetClock wall;
  wall.now = 1000;
  log::HybridClock clock(wall, {});
  const Stamp first = clock.tick();
  CHECK(first == Stamp{1000, 0});
  const Stamp second = clock.tick();
  wall.now = 10;
  const Stamp third = clock.tick();
  CHECK(first < second);
  CHECK(second < third);
  CHECK(third.physical_ms == 1000);
  wall.now = 2000;
  CHECK(clock.tick() == Stamp{2000, 0});
}

TEST_CASE("stamps follow the wall clock as far as it is believed, and still grow beyond that") {
  SetClock wall;
  wall.now = 5000;
  log::HybridClock clock(wall, {});
  clock.believe_up_to(1000);
  CHECK(clock.tick() == Stamp{1000, 0});
  CHECK(clock.tick() == Stamp{1000, 1});
  clock.believe_up_to(900);
  CHECK(clock.tick() == Stamp{1000, 2});
  clock.believe_up_to(std::numeric_limits<int64_t>::max());
  CHECK(clock.tick() == Stamp{5000, 0});
}

TEST_CASE("a stamp is above what was observed and above the floor that was reserved") {
  SetClock wall;
  wall.now = 5;
  log::HybridClock clock(wall, {50, 3});
  CHECK(clock.tick() > Stamp{50, 3});
  clock.observe({70, 9});
  CHECK(clock.tick() > Stamp{70, 9});
  clock.observe({60, 0});
  CHECK(clock.tick() > Stamp{70, 9});
}

TEST_CASE("a counter that is used up moves on to the next millisecond") {
  SetClock wall;
  log::HybridClock clock(wall, {7, std::numeric_limits<uint32_t>::max()});
  CHECK(clock.tick() == Stamp{8, 0});
}

TEST_CASE("a stamp is written as a time of day with its counter") {
  CHECK(to_string(Stamp{1796037179123, 4}) == "2026-11-30T11:12:59.123Z+4");
  CHECK(to_string(Stamp{0, 0}) == "1970-01-01T00:00:00.000Z");
}

TEST_CASE("a version vector takes the larger, the smaller, and never lowers an entry") {
  VersionVector left = vector_of({{ams, 5}, {nyc, 1}});
  left.raise(ams, 3);
  CHECK(left.at(ams) == 5);
  CHECK(left.covers(ams, 5));
  CHECK_FALSE(left.covers(ams, 6));
  CHECK(left.covers({"sgp", 9}, 0));
  const VersionVector right = vector_of({{ams, 2}, {{"sgp", 9}, 4}});
  CHECK_FALSE(left.covers(right));
  VersionVector merged = left;
  merged.merge(right);
  CHECK(merged == vector_of({{ams, 5}, {nyc, 1}, {{"sgp", 9}, 4}}));
  CHECK(merged.covers(right));
  VersionVector common = left;
  common.intersect(right);
  CHECK(common == vector_of({{ams, 2}}));
}

TEST_CASE("vectors that say the same are equal, in whatever order they were filled") {
  CHECK(vector_of({{ams, 1}, {nyc, 2}}) == vector_of({{nyc, 2}, {ams, 1}}));
  CHECK(vector_of({{ams, 0}}).empty());
}

TEST_CASE("two incarnations of one name are two origins") {
  const VersionVector vector = vector_of({{{"ams", 1}, 5}});
  CHECK_FALSE(vector.covers({"ams", 2}, 1));
}

TEST_CASE("a site id survives being written and read") {
  const SiteId site{"ams-2", 0x00c0ffee00c0ffee};
  CHECK(to_string(site) == "ams-2.00c0ffee00c0ffee");
  CHECK(log::parse_site_id(to_string(site)).value() == site);
  for (const char* bad : {"", "ams", "ams.", "ams.12", ".00c0ffee00c0ffee", "ams.00c0ffee00c0ffeg",
                          "AMS.00c0ffee00c0ffee", "ams.00c0ffee00c0ffee0", "ams.-0c0ffee00c0ffee"}) {
    INFO(bad);
    CHECK_FALSE(log::parse_site_id(bad).ok());
  }
}

TEST_CASE("site names are short, lower-case, and begin and end with a letter or digit") {
  CHECK(log::check_site_name("a").ok());
  CHECK(log::check_site_name("a-9").ok());
  CHECK(log::check_site_name(std::string(63, 'a')).ok());
  for (const std::string& bad : {std::string(), std::string("-a"), std::string("a-"), std::string("A"),
                                 std::string("a b"), std::string(64, 'a')}) {
    INFO(bad);
    CHECK_FALSE(log::check_site_name(bad).ok());
  }
}
