#include "replica/writer_thread.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <condition_variable>
#include <deque>
#include <mutex>

#include "tests/support/plain_site_store.h"

using namespace quadrille;

namespace {

// Counts groups and commits; holds the first group open until it is told to go on.
struct Trace {
  std::atomic<int> groups{0};
  std::atomic<int> commits{0};
  std::atomic<bool> begin_fails{false};
  std::atomic<bool> commit_fails{false};
  std::atomic<int> compactions_left{0};
};

class TracedGroup final : public test::PlainWriteGroup {
 public:
  explicit TracedGroup(Trace& trace) : trace_(trace) {}
  base::Result<void> commit() override {
    if (trace_.commit_fails) return base::Error{base::ErrorKind::IoFailure, "the disk is full", {}};
    ++trace_.commits;
    return {};
  }

 private:
  Trace& trace_;
};

class TracedStore final : public test::PlainSiteStore {
 public:
  explicit TracedStore(Trace& trace) : trace_(trace) {}
  const reconcile::SiteIdentity& identity() const override { return identity_; }
  log::ChangesetHash assignment_digest() const override { return {}; }
  std::unique_ptr<reconcile::SiteSnapshot> snapshot(size_t /*readers*/) const override { return nullptr; }
  base::Result<std::unique_ptr<reconcile::WriteGroup>> begin() override {
    if (trace_.begin_fails) return base::Error{base::ErrorKind::IoFailure, "no writer", {}};
    ++trace_.groups;
    return std::unique_ptr<reconcile::WriteGroup>(std::make_unique<TracedGroup>(trace_));
  }
  base::Result<bool> compact(uint64_t) override {
    if (trace_.compactions_left > 0) --trace_.compactions_left;
    return trace_.compactions_left > 0;
  }
  std::vector<std::string> verify() const override { return {}; }

 private:
  Trace& trace_;
  reconcile::SiteIdentity identity_;
};

// Stands for the event loop: tasks are kept until this thread runs them.
class Loop {
 public:
  replica::WriterThread::PostToLoop poster() {
    return [this](std::function<void()> task) {
      std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
      more_.notify_all();
    };
  }
  void run_until(const std::function<bool()>& reached) {
    while (!reached()) {
      std::unique_lock lock(mutex_);
      REQUIRE(more_.wait_for(lock, std::chrono::seconds(20), [this] { return !tasks_.empty(); }));
      auto task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
    }
  }
  void run_rest() {
    for (auto& task : tasks_) task();
  }

 private:
  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<std::function<void()>> tasks_;
};

// A job that occupies the writer until it is opened.
class Gate {
 public:
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_open_; });
  }
  void open() {
    std::lock_guard lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = false;
};

}  // namespace

TEST_CASE("jobs that wait together are committed together, in order") {
  Trace trace;
  TracedStore store(trace);
  Loop loop;
  Gate gate;
  std::vector<int> ran;
  std::vector<int> done;
  replica::WriterThread writer(store, loop.poster(), 0, 60'000);
  writer.submit([&](reconcile::WriteGroup&) { gate.wait(); }, [&](const base::Result<void>&) {});
  while (writer.waiting() > 0) std::this_thread::yield();
  for (int i = 0; i < 100; ++i) {
    writer.submit([&ran, i](reconcile::WriteGroup&) { ran.push_back(i); },
                  [&done, i](const base::Result<void>& committed) {
                    CHECK(committed.ok());
                    done.push_back(i);
                  });
  }
  CHECK(writer.waiting() == 100);
  gate.open();
  loop.run_until([&] { return done.size() == 100; });
  CHECK(trace.commits == 1);  // with the job that they waited for
  std::vector<int> expected;
  for (int i = 0; i < 100; ++i) expected.push_back(i);
  CHECK(ran == expected);
  CHECK(done == expected);
}

TEST_CASE("a group that took its time takes no more jobs, and the writer says how long it was held") {
  Trace trace;
  TracedStore store(trace);
  Loop loop;
  Gate gate;
  int done = 0;
  const auto count = [&](const base::Result<void>&) { ++done; };
  {
    replica::WriterThread writer(store, loop.poster(), 0, 0);
    writer.submit(
        [&](reconcile::WriteGroup&) {
          gate.wait();
          std::this_thread::sleep_for(std::chrono::milliseconds(3));
        },
        count);
    writer.submit([](reconcile::WriteGroup&) {}, count);
    gate.open();
    loop.run_until([&] { return done == 2; });
    CHECK(trace.commits == 2);
    CHECK(writer.times().groups == 2);
    CHECK(writer.times().longest_group_us >= 3'000);
    CHECK(writer.times().longest_commit_us < writer.times().longest_group_us);
  }
}

TEST_CASE("a job whose group does not commit is told so") {
  Trace trace;
  TracedStore store(trace);
  Loop loop;
  replica::WriterThread writer(store, loop.poster());
  std::vector<std::string> outcomes;
  const auto submit = [&] {
    writer.submit([](reconcile::WriteGroup&) {},
                  [&](const base::Result<void>& committed) {
                    outcomes.push_back(committed.ok() ? "ok" : committed.error().message);
                  });
    const size_t wanted = outcomes.size() + 1;
    loop.run_until([&] { return outcomes.size() == wanted; });
  };
  trace.commit_fails = true;
  submit();
  trace.commit_fails = false;
  trace.begin_fails = true;
  submit();
  trace.begin_fails = false;
  submit();
  CHECK(outcomes == std::vector<std::string>{"the disk is full", "no writer", "ok"});
}

TEST_CASE("a writer that ends commits what was submitted, and calls nobody afterwards") {
  Trace trace;
  TracedStore store(trace);
  Loop loop;
  std::atomic<int> ran{0};
  int told = 0;
  {
    replica::WriterThread writer(store, loop.poster());
    for (int i = 0; i < 1000; ++i) {
      writer.submit([&](reconcile::WriteGroup&) { ++ran; }, [&](const base::Result<void>&) { ++told; });
    }
  }
  loop.run_rest();
  CHECK(ran == 1000);
  CHECK(trace.commits >= 1);
  CHECK(told == 0);
}

TEST_CASE("while nobody waits the writer compacts the store to the end; while somebody does, a step at a time") {
  Trace trace;
  TracedStore store(trace);
  Loop loop;
  trace.compactions_left = 10;
  replica::WriterThread writer(store, loop.poster());
  while (trace.compactions_left > 0) std::this_thread::yield();
  trace.compactions_left = 1'000'000'000;
  bool is_done = false;
  for (int i = 0; i < 3; ++i) {
    writer.submit([](reconcile::WriteGroup&) {}, [&](const base::Result<void>&) { is_done = true; });
    loop.run_until([&] { return std::exchange(is_done, false); });
  }
  CHECK(trace.compactions_left > 0);
}
