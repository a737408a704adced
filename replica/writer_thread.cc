#include "replica/writer_thread.h"

#include <algorithm>
#include <utility>

#include "replica/crash_report.h"

namespace quadrille::replica {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t jobs_per_commit_max = 256;
// Some milliseconds: so long may a request have to wait for a step of the compaction.
constexpr uint64_t rows_per_compaction = 2048;

uint64_t microseconds_since(Clock::time_point start) {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count());
}

}  // namespace

WriterThread::WriterThread(reconcile::SiteStore& store, PostToLoop post_to_loop, int group_open_ms, int group_full_ms)
    : store_(store),
      post_to_loop_(std::move(post_to_loop)),
      group_open_(group_open_ms),
      group_full_(group_full_ms),
      finished_(std::make_shared<Finished>()),
      thread_([this] { run(); }) {}

WriterThread::~WriterThread() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
  std::lock_guard lock(finished_->mutex);
  finished_->entries.clear();
}

void WriterThread::submit(Job job, Done done) {
  {
    std::lock_guard lock(mutex_);
    queue_.push_back({std::move(job), std::move(done), {}});
  }
  wake_.notify_one();
}

size_t WriterThread::waiting() const {
  std::lock_guard lock(mutex_);
  return queue_.size();
}

WriterTimes WriterThread::times() const {
  std::lock_guard lock(mutex_);
  return times_;
}

void WriterThread::run() {
  const SignalStack stack;  // policies decide on this thread
  compact();
  while (wait_for_job()) {
    hand_over(run_group());
    compact();
  }
}

// One step after each group, so that a busy site comes to it too; more while nobody waits. A step that fails is tried
// again after the next group.
void WriterThread::compact() {
  bool has_more = true;
  while (has_more) {
    const auto start = Clock::now();
    const auto step = store_.compact(rows_per_compaction);
    {
      std::lock_guard lock(mutex_);
      ++times_.compaction_steps;
      times_.longest_compaction_us = std::max(times_.longest_compaction_us, microseconds_since(start));
    }
    has_more = step.ok() && *step && !is_wanted();
  }
}

bool WriterThread::is_wanted() const {
  std::lock_guard lock(mutex_);
  return stopping_ || !queue_.empty();
}

bool WriterThread::wait_for_job() {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
  return !queue_.empty();
}

std::optional<WriterThread::Entry> WriterThread::next_job(SteadyTime end) {
  std::unique_lock lock(mutex_);
  if (queue_.empty()) wake_.wait_until(lock, end, [this] { return stopping_ || !queue_.empty(); });
  if (queue_.empty()) return std::nullopt;
  Entry entry = std::move(queue_.front());
  queue_.pop_front();
  return entry;
}

std::vector<WriterThread::Entry> WriterThread::run_group() {
  const auto start = Clock::now();
  std::vector<Entry> entries;
  auto group = store_.begin();
  base::Result<void> outcome;
  if (group.ok()) {
    outcome = run_jobs(**group, entries, start);
  } else {
    entries.push_back(*next_job(start));
    outcome = group.error();
  }
  for (auto& entry : entries) entry.outcome = outcome;
  return entries;
}

base::Result<void> WriterThread::run_jobs(reconcile::WriteGroup& group, std::vector<Entry>& entries, SteadyTime start) {
  const auto open_until = start + group_open_;
  const auto full_at = start + group_full_;
  while (entries.size() < jobs_per_commit_max && (entries.empty() || Clock::now() < full_at)) {
    auto entry = next_job(open_until);
    if (!entry) break;
    entry->job(group);
    entries.push_back(std::move(*entry));
  }
  const auto commit_start = Clock::now();
  auto outcome = group.commit();
  std::lock_guard lock(mutex_);
  ++times_.groups;
  times_.longest_group_us = std::max(times_.longest_group_us, microseconds_since(start));
  times_.longest_commit_us = std::max(times_.longest_commit_us, microseconds_since(commit_start));
  return outcome;
}

void WriterThread::hand_over(std::vector<Entry> entries) {
  {
    std::lock_guard lock(finished_->mutex);
    for (auto& entry : entries) finished_->entries.push_back(std::move(entry));
  }
  // One task a group: it takes all that is finished by then, and a later one finds nothing.
  post_to_loop_([finished = finished_] {
    std::vector<Entry> taken;
    {
      std::lock_guard lock(finished->mutex);
      taken.swap(finished->entries);
    }
    for (auto& entry : taken) entry.done(entry.outcome);
  });
}

}  // namespace quadrille::replica
