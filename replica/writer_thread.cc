#include "replica/writer_thread.h"

#include <utility>

namespace quadrille::replica {
namespace {

constexpr size_t jobs_per_commit_max = 256;
// Some milliseconds: so long may a request have to wait for a step of the compaction.
constexpr uint64_t rows_per_compaction = 2048;

}  // namespace

WriterThread::WriterThread(reconcile::SiteStore& store, PostToLoop post_to_loop, int group_open_ms)
    : store_(store),
      post_to_loop_(std::move(post_to_loop)),
      group_open_(group_open_ms),
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

void WriterThread::run() {
  compact();
  while (true) {
    auto entries = wait_for_jobs();
    if (entries.empty()) return;
    commit_together(entries);
    hand_over(std::move(entries));
    compact();
  }
}

// One step after each group, so that a busy site comes to it too; more while nobody waits. A step that fails is tried
// again after the next group.
void WriterThread::compact() {
  bool has_more = true;
  while (has_more) {
    const auto step = store_.compact(rows_per_compaction);
    has_more = step.ok() && *step && !is_wanted();
  }
}

bool WriterThread::is_wanted() const {
  std::lock_guard lock(mutex_);
  return stopping_ || !queue_.empty();
}

std::vector<WriterThread::Entry> WriterThread::wait_for_jobs() {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
  std::vector<Entry> entries;
  take_jobs(entries);
  return entries;
}

void WriterThread::take_jobs(std::vector<Entry>& group) {
  while (!queue_.empty() && group.size() < jobs_per_commit_max) {
    group.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
}

bool WriterThread::wait_for_more(std::vector<Entry>& group, std::chrono::steady_clock::time_point end) {
  if (group.size() == jobs_per_commit_max) return false;
  std::unique_lock lock(mutex_);
  if (!wake_.wait_until(lock, end, [this] { return stopping_ || !queue_.empty(); }) || queue_.empty()) return false;
  take_jobs(group);
  return true;
}

void WriterThread::commit_together(std::vector<Entry>& entries) {
  base::Result<void> outcome;
  auto group = store_.begin();
  if (group.ok()) {
    const auto end = std::chrono::steady_clock::now() + group_open_;
    size_t ran = 0;
    do {
      for (; ran < entries.size(); ++ran) entries[ran].job(**group);
    } while (group_open_.count() > 0 && wait_for_more(entries, end));
    outcome = (*group)->commit();
  } else {
    outcome = group.error();
  }
  for (auto& entry : entries) entry.outcome = outcome;
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
