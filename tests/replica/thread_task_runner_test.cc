#include "replica/thread_task_runner.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <vector>

using quadrille::replica::ThreadTaskRunner;

TEST_CASE("every task runs once, whatever the number of threads") {
  for (const size_t width : {size_t{1}, size_t{2}, size_t{5}}) {
    ThreadTaskRunner runner(width);
    CHECK(runner.width() == width);
    std::vector<std::atomic<int>> runs(100);
    std::vector<std::function<void()>> tasks;
    for (auto& count : runs) tasks.emplace_back([&count] { ++count; });
    for (int round = 0; round < 20; ++round) runner.run(tasks);
    for (const auto& count : runs) CHECK(count == 20);
  }
}

TEST_CASE("two tasks run at the same time on two threads") {
  ThreadTaskRunner runner(2);
  std::mutex mutex;
  std::condition_variable arrived;
  int here = 0;
  const std::function<void()> meet = [&] {
    std::unique_lock lock(mutex);
    ++here;
    arrived.notify_all();
    arrived.wait(lock, [&] { return here == 2; });
  };
  runner.run(std::vector<std::function<void()>>{meet, meet});
  CHECK(here == 2);
}

TEST_CASE("a failure of a task comes out when all tasks have ended") {
  ThreadTaskRunner runner(2);
  std::atomic<int> ended = 0;
  std::vector<std::function<void()>> tasks(10, [&] { ++ended; });
  tasks[3] = [] { throw std::runtime_error("third"); };
  tasks[7] = [] { throw std::runtime_error("seventh"); };
  CHECK_THROWS_WITH(runner.run(tasks), "third");
  CHECK(ended == 8);
}
