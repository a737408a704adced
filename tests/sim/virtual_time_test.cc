#include "sim/virtual_time.h"

#include <kj/debug.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "sim/random_stream.h"
#include "sim/trace.h"

namespace quadrille::sim {
namespace {

TEST_CASE("waiting takes exactly the time of the timer, and computing takes none") {
  VirtualTime time;
  kj::EventLoop loop(time.port());
  kj::WaitScope scope(loop);
  time.timer().afterDelay(3 * kj::HOURS).wait(scope);
  CHECK(time.now_us() == 3 * int64_t{3'600'000'000});
  kj::evalLater([]() {}).wait(scope);
  CHECK(time.now_us() == 3 * int64_t{3'600'000'000});
}

TEST_CASE(
    "timers and alarms come in the order of their moments, and of one moment in the order in which they were set") {
  VirtualTime time;
  kj::EventLoop loop(time.port());
  kj::WaitScope scope(loop);
  std::vector<std::string> order;
  Alarm late(time);
  Alarm early(time);
  Alarm same_as_late(time);
  late.set(2'000, [&]() { order.push_back("late"); });
  same_as_late.set(2'000, [&]() { order.push_back("same as late"); });
  early.set(1'000, [&]() { order.push_back("early"); });
  auto timer = time.timer().afterDelay(1500 * kj::MICROSECONDS).then([&]() { order.push_back("timer"); });
  timer.wait(scope);
  time.timer().afterDelay(1 * kj::SECONDS).wait(scope);
  CHECK(order == std::vector<std::string>{"early", "timer", "late", "same as late"});
}

TEST_CASE("an alarm that was cancelled, replaced or destroyed does not ring") {
  VirtualTime time;
  kj::EventLoop loop(time.port());
  kj::WaitScope scope(loop);
  int rung = 0;
  Alarm cancelled(time);
  Alarm replaced(time);
  cancelled.set(10, [&]() { rung += 100; });
  cancelled.cancel();
  replaced.set(10, [&]() { rung += 100; });
  replaced.set(20, [&]() { ++rung; });
  {
    Alarm destroyed(time);
    destroyed.set(10, [&]() { rung += 100; });
  }
  time.timer().afterDelay(1 * kj::SECONDS).wait(scope);
  CHECK(rung == 1);
  CHECK_FALSE(replaced.is_set());
}

TEST_CASE("an alarm may set itself again") {
  VirtualTime time;
  kj::EventLoop loop(time.port());
  kj::WaitScope scope(loop);
  int rung = 0;
  Alarm alarm(time);
  std::function<void()> ring = [&]() {
    if (++rung < 5) alarm.set(time.now_us() + 10, ring);
  };
  alarm.set(10, ring);
  time.timer().afterDelay(1 * kj::SECONDS).wait(scope);
  CHECK(rung == 5);
}

TEST_CASE("waiting for what can never happen is found out") {
  VirtualTime time;
  kj::EventLoop loop(time.port());
  kj::WaitScope scope(loop);
  auto never = kj::Promise<void>(kj::NEVER_DONE);
  CHECK_THROWS_AS(never.wait(scope), kj::Exception);
}

TEST_CASE("a wall clock is wrong by its skew and its jumps, and a steady clock is not") {
  VirtualTime time;
  kj::EventLoop loop(time.port());
  kj::WaitScope scope(loop);
  SimulatedWallClock wall(time, -150);
  const SimulatedSteadyClock steady(time);
  time.timer().afterDelay(2 * kj::SECONDS).wait(scope);
  CHECK(wall.now_ms() == SimulatedWallClock::start_ms + 1850);
  wall.jump(-5000);
  CHECK(wall.now_ms() == SimulatedWallClock::start_ms - 3150);
  CHECK(steady.now_us() == 2'000'000);
}

TEST_CASE("a random stream follows from seed and purpose, and from nothing else") {
  RandomStream one(7, "faults");
  RandomStream again(7, "faults");
  RandomStream other_purpose(7, "workload ams");
  RandomStream other_seed(8, "faults");
  const uint64_t draw = one.next();
  CHECK(draw == again.next());
  CHECK(draw != other_purpose.next());
  CHECK(draw != other_seed.next());
  for (int i = 0; i < 1000; ++i) {
    const int64_t value = one.between(-3, 4);
    REQUIRE(value >= -3);
    REQUIRE(value <= 4);
    const double fraction = one.fraction();
    REQUIRE(fraction >= 0);
    REQUIRE(fraction < 1);
    REQUIRE(one.exponential(2.0) >= 0);
  }
}

TEST_CASE("the trace hash changes with an event's time, site, text and order, and with a message's bytes") {
  const auto hash_of = [](auto&& fill) {
    VirtualTime time;
    Trace trace(time);
    fill(trace);
    return trace.hash();
  };
  const auto base = hash_of([](Trace& trace) {
    trace.event("ams", "one");
    trace.event("nyc", "two");
    trace.message("ams", "nyc", "abc");
  });
  CHECK(base == hash_of([](Trace& trace) {
          trace.event("ams", "one");
          trace.event("nyc", "two");
          trace.message("ams", "nyc", "abc");
        }));
  CHECK(base != hash_of([](Trace& trace) {
          trace.event("nyc", "two");
          trace.event("ams", "one");
          trace.message("ams", "nyc", "abc");
        }));
  CHECK(base != hash_of([](Trace& trace) {
          trace.event("ams", "one");
          trace.event("nyc", "two");
          trace.message("ams", "nyc", "abd");
        }));
}

}  // namespace
}  // namespace quadrille::sim
