// How a load hands its jobs to the site's writer.
#include <atomic>
#include <catch2/catch.hpp>
#include <deque>
#include <thread>
#include <utility>

#include "replica/site/bulk_load.h"
#include "tests/support/plain_site_store.h"

using namespace quadrille;

namespace {

// Keeps its jobs until the test says when they run, and how the commit goes.
class HeldQueue final : public reconcile::WriteQueue {
 public:
  using Job = std::function<void(reconcile::WriteGroup&)>;
  using Done = std::function<void(const base::Result<void>&)>;
  void submit(Job job, Done done) override {
    const std::lock_guard lock(mutex_);
    jobs_.emplace_back(std::move(job), std::move(done));
  }
  // The next job, once there is one.
  void run_next(const base::Result<void>& committed) {
    std::pair<Job, Done> next;
    while (!take(next)) std::this_thread::yield();
    test::PlainWriteGroup group;
    next.first(group);
    next.second(committed);
  }

 private:
  bool take(std::pair<Job, Done>& next) {
    const std::lock_guard lock(mutex_);
    if (jobs_.empty()) return false;
    next = std::move(jobs_.front());
    jobs_.pop_front();
    return true;
  }
  std::mutex mutex_;
  std::deque<std::pair<Job, Done>> jobs_;
};

}  // namespace

TEST_CASE("a load's job returns when its group is durable, with the error of the job or of the commit") {
  HeldQueue queue;
  const std::atomic<bool> stopping{false};
  replica::QueuedLoadWriter writer(queue, stopping);
  const base::Error job_error{base::ErrorKind::Busy, "the job's", {}};
  const base::Error commit_error{base::ErrorKind::ResourceExhausted, "the commit's", {}};
  const auto run = [&](const base::Result<void>& job, const base::Result<void>& committed) {
    std::thread site([&] { queue.run_next(committed); });
    auto outcome = writer.run([&](reconcile::WriteGroup&) { return job; });
    site.join();
    return outcome;
  };
  CHECK(run({}, {}).ok());
  CHECK(run(job_error, {}).error().message == "the job's");
  CHECK(run({}, commit_error).error().message == "the commit's");
}

TEST_CASE("a job that waits when the site stops is given up, and nobody runs it afterwards") {
  HeldQueue queue;
  std::atomic<bool> stopping{true};
  int ran = 0;
  {
    replica::QueuedLoadWriter writer(queue, stopping);
    const auto outcome = writer.run([&](reconcile::WriteGroup&) -> base::Result<void> {
      ++ran;
      return {};
    });
    REQUIRE_FALSE(outcome.ok());
    CHECK(outcome.error().kind == base::ErrorKind::Unavailable);
  }
  queue.run_next({});
  CHECK(ran == 0);
}

TEST_CASE("a job that runs when the site stops is waited for: what it refers to must stay") {
  HeldQueue queue;
  std::atomic<bool> stopping{false};
  replica::QueuedLoadWriter writer(queue, stopping);
  std::thread site([&] { queue.run_next({}); });
  bool is_whole = false;
  const auto outcome = writer.run([&](reconcile::WriteGroup&) -> base::Result<void> {
    stopping = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(120));  // the waiting thread looks meanwhile
    is_whole = true;
    return {};
  });
  CHECK(is_whole);
  site.join();
  static_cast<void>(outcome);
}
