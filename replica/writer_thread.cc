#include "replica/writer_thread.h"

#include <utility>

namespace quadrille::replica {
namespace {

constexpr size_t jobs_per_commit_max = 256;

}  // namespace

WriterThread::WriterThread(reconcile::SiteStore& store, PostToLoop post_to_loop)
    : store_(store),
      post_to_loop_(std::move(post_to_loop)),
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
  while (true) {
    auto entries = wait_for_jobs();
    if (entries.empty()) return;
    commit_together(entries);
    hand_over(std::move(entries));
  }
}

std::vector<WriterThread::Entry> WriterThread::wait_for_jobs() {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
  std::vector<Entry> entries;
  while (!queue_.empty() && entries.size() < jobs_per_commit_max) {
    entries.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  return entries;
}

void WriterThread::commit_together(std::vector<Entry>& entries) {
  base::Result<void> outcome;
  auto group = store_.begin();
  if (group.ok()) {
    for (auto& entry : entries) entry.job(**group);
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
