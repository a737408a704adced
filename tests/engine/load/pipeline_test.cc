#include "engine/load/pipeline.h"

#include <catch2/catch.hpp>
#include <stdexcept>

#include "tests/engine/load/threads.h"

using namespace quadrille;
using namespace quadrille::load;
using namespace quadrille::load::testing;

namespace {

// Makes numbers, doubles them, and adds them up: no more than a few wait between two stages.
struct Sum {
  explicit Sum(base::TaskRunner& runner, int count) : pipeline(runner), limit(count) {
    pipeline.add([this]() -> std::optional<Pipeline::Piece> {
      if (is_adding || doubled.empty()) return std::nullopt;
      is_adding = true;
      const int number = doubled.back();
      doubled.pop_back();
      return Pipeline::Piece{[] {},
                             [this, number] {
                               is_adding = false;
                               sum += number;
                             }};
    });
    pipeline.add([this]() -> std::optional<Pipeline::Piece> {
      if (made.empty()) return std::nullopt;
      const int number = made.back();
      made.pop_back();
      auto twice = std::make_shared<int>();
      return Pipeline::Piece{[this, number, twice] {
                               if (number == throws_at)
                                 throw base::StorageError({base::ErrorKind::IoFailure, "no", {}});
                               if (number == breaks_at) throw std::logic_error("a bug");
                               *twice = number * 2;
                             },
                             [this, twice] { doubled.push_back(*twice); }};
    });
    pipeline.add([this]() -> std::optional<Pipeline::Piece> {
      if (made.size() > 3 || next == limit) return std::nullopt;
      return Pipeline::Piece{[] {}, [this, number = next++] { made.push_back(number); }};
    });
  }
  Pipeline pipeline;
  int limit;
  int throws_at = -1, breaks_at = -1;
  int next = 0;
  std::vector<int> made, doubled;
  bool is_adding = false;
  long sum = 0;
};

}  // namespace

TEST_CASE("stages feed each other until nobody has anything to do, on any number of threads") {
  for (const size_t threads : {1, 2, 5}) {
    StartedThreads runner(threads);
    Sum sum(runner, 2000);
    REQUIRE(sum.pipeline.run().ok());
    CHECK(sum.sum == 1999L * 2000);
  }
}

TEST_CASE("a storage fault ends the work, and is what run returns") {
  for (const size_t threads : {1, 3}) {
    StartedThreads runner(threads);
    Sum sum(runner, 2000);
    sum.throws_at = 100;
    const auto done = sum.pipeline.run();
    REQUIRE_FALSE(done.ok());
    CHECK(done.error().message == "no");
    CHECK(sum.next < 2000);
  }
}

TEST_CASE("an exception that is no storage fault is thrown where run was called") {
  for (const size_t threads : {1, 3}) {
    StartedThreads runner(threads);
    Sum sum(runner, 2000);
    sum.breaks_at = 100;
    CHECK_THROWS_AS(sum.pipeline.run(), std::logic_error);
  }
}

TEST_CASE("a piece of work that has to wait does others' work meanwhile, even alone") {
  for (const size_t threads : {1, 2, 4}) {
    StartedThreads runner(threads);
    Pipeline pipeline(runner);
    std::vector<int> queue;
    int taken = 0;
    bool is_started = false;
    pipeline.add([&]() -> std::optional<Pipeline::Piece> {
      if (queue.empty()) return std::nullopt;
      queue.pop_back();
      return Pipeline::Piece{[] {}, [&] { ++taken; }};
    });
    pipeline.add([&]() -> std::optional<Pipeline::Piece> {
      if (std::exchange(is_started, true)) return std::nullopt;
      return Pipeline::Piece{[&] {
                               for (int i = 0; i < 300; ++i) {
                                 pipeline.exchange([&] { queue.push_back(i); });
                                 CHECK(pipeline.help_until([&] { return queue.size() < 3; }));
                               }
                             },
                             {}};
    });
    REQUIRE(pipeline.run().ok());
    CHECK(taken == 300);
  }
}

TEST_CASE("a stage that fails while a piece of work waits for it is an error, and the waiting ends") {
  for (const size_t threads : {1, 2, 4}) {
    StartedThreads runner(threads);
    Pipeline pipeline(runner);
    bool is_started = false, is_waiting = false, went_on = true;
    pipeline.add([&]() -> std::optional<Pipeline::Piece> {
      if (is_waiting) pipeline.fail({base::ErrorKind::InvalidInput, "a bad line", {}});
      return std::nullopt;
    });
    pipeline.add([&]() -> std::optional<Pipeline::Piece> {
      if (std::exchange(is_started, true)) return std::nullopt;
      return Pipeline::Piece{[&] {
                               pipeline.exchange([&] { is_waiting = true; });
                               went_on = pipeline.help_until([] { return false; });
                             },
                             {}};
    });
    const auto done = pipeline.run();
    REQUIRE_FALSE(done.ok());
    CHECK(done.error().message == "a bad line");
    CHECK_FALSE(went_on);
  }
}
