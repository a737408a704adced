#include "sync/peer_clock.h"

#include <catch2/catch.hpp>
#include <cstdlib>

using namespace quadrille;  // NOLINT

namespace {

kj::TimePoint at(int64_t ms) { return kj::origin<kj::TimePoint>() + ms * kj::MILLISECONDS; }

}  // namespace

TEST_CASE("what a clock shows is told by the answer that took the shortest time") {
  sync::PeerClock clock;
  CHECK_FALSE(clock.wall_ms_at(at(0)));
  // It is 10,000 ahead of the timer. Of the first answer the way back takes longer than the way there.
  clock.add(at(1'000), at(1'500), 11'100, 7);
  CHECK(std::abs(*clock.wall_ms_at(at(2'000)) - 12'000) <= 250);
  clock.add(at(2'000), at(2'010), 12'005, 7);
  CHECK(clock.wall_ms_at(at(2'000)) == 12'000);
  CHECK(clock.round_trip_ms() == 10);
  clock.add(at(3'000), at(3'900), 13'800, 8);
  CHECK(clock.wall_ms_at(at(4'000)) == 14'000);
  CHECK(clock.round_trip_ms() == 10);
  CHECK(clock.skew_ms_max() == 8);
}

TEST_CASE("after a jump of the clock what was measured before counts no more, however quick it was") {
  sync::PeerClock clock;
  clock.add(at(1'000), at(1'002), 11'001, 0);
  clock.add(at(2'000), at(2'400), 7'200, 0);
  CHECK(clock.wall_ms_at(at(3'000)) == 8'000);
}

TEST_CASE("only the last few answers count") {
  sync::PeerClock clock;
  clock.add(at(1'000), at(1'002), 11'001, 0);
  // A clock that gains 2 ms every 100.
  for (int64_t i = 1; i <= 8; ++i) clock.add(at(1'000 + i * 100), at(1'004 + i * 100), 11'002 + i * 102, 0);
  CHECK(*clock.wall_ms_at(at(1'800)) >= 11'802);
}
