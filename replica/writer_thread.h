// The one writer of a running site: a thread, fed by a queue. What is waiting when it looks is committed together: many
// requests share one flush to disk (group commit). A group may also be kept open for a moment for jobs that come in
// meanwhile: that pays where clients are answered before it is durable, and come back with the next request.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "engine/base/result.h"
#include "reconcile/site_store.h"
#include "reconcile/write_queue.h"
#include "replica/site/writer_times.h"

namespace quadrille::replica {

class WriterThread final : public reconcile::WriteQueue {
 public:
  using Job = std::function<void(reconcile::WriteGroup&)>;
  using Done = std::function<void(const base::Result<void>&)>;
  // Runs a task on the event loop's thread, soon. Called from the writer's thread.
  using PostToLoop = std::function<void(std::function<void()>)>;

  // The store must outlive this. `group_open_ms`: how long a group stays open; 0: no longer than there are jobs.
  // `group_full_ms`: from then on it takes no more jobs, and who comes next waits for it; another one only in tests.
  WriterThread(reconcile::SiteStore& store, PostToLoop post_to_loop, int group_open_ms = 0, int group_full_ms = 20);
  // On the loop's thread. Commits what was submitted; `done`s that the loop has not called yet are dropped.
  ~WriterThread() override;
  WriterThread(const WriterThread&) = delete;
  WriterThread& operator=(const WriterThread&) = delete;

  void submit(Job job, Done done) override;
  // Both from any thread.
  size_t waiting() const;  // jobs that no group has yet
  WriterTimes times() const;

 private:
  struct Entry {
    Job job;
    Done done;
    base::Result<void> outcome;
  };
  // Jobs whose group is over. The loop may hold on to it longer than the WriterThread lives, and finds it empty then.
  struct Finished {
    std::mutex mutex;
    std::vector<Entry> entries;
  };

  using SteadyTime = std::chrono::steady_clock::time_point;
  void run();
  bool wait_for_job();  // false: there will be none
  // The next job, should one come until then.
  std::optional<Entry> next_job(SteadyTime end);
  std::vector<Entry> run_group();
  base::Result<void> run_jobs(reconcile::WriteGroup& group, std::vector<Entry>& entries, SteadyTime start);
  void hand_over(std::vector<Entry> entries);
  void compact();
  bool is_wanted() const;

  reconcile::SiteStore& store_;
  PostToLoop post_to_loop_;
  std::chrono::milliseconds group_open_;
  std::chrono::milliseconds group_full_;
  std::shared_ptr<Finished> finished_;
  mutable std::mutex mutex_;  // of what follows
  std::condition_variable wake_;
  std::deque<Entry> queue_;
  bool stopping_ = false;
  WriterTimes times_;
  std::thread thread_;  // last: it starts when all else is there
};

}  // namespace quadrille::replica
