#include "sim/simulated_write_queue.h"

#include <utility>

namespace quadrille::sim {
namespace {

constexpr size_t jobs_max = 64;  // that share a commit
constexpr uint64_t rows_per_compaction = 2048;

}  // namespace

SimulatedWriteQueue::SimulatedWriteQueue(reconcile::SiteStore& store, VirtualTime& time, RandomStream& random,
                                         const Delays& delays, Events events)
    : store_(store), time_(time), random_(random), delays_(delays), events_(std::move(events)), alarm_(time) {}

void SimulatedWriteQueue::submit(std::function<void(reconcile::WriteGroup&)> job,
                                 std::function<void(const base::Result<void>&)> done) {
  waiting_.push_back({std::move(job), std::move(done)});
  if (phase_ == Phase::Idle) next_phase(Phase::Writing);
}

void SimulatedWriteQueue::next_phase(Phase phase) {
  phase_ = phase;
  alarm_.set(time_.now_us() + random_.between(delays_.commit_us_min, delays_.commit_us_max), [this]() {
    is_due_ = true;
    if (!is_paused_) run_phase();
  });
}

void SimulatedWriteQueue::run_phase() {
  is_due_ = false;
  if (phase_ == Phase::Writing) {
    commit_group();
  } else {
    answer_group();
  }
}

void SimulatedWriteQueue::commit_group() {
  while (!waiting_.empty() && group_.size() < jobs_max) {
    group_.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  auto group = store_.begin();
  if (group.ok()) {
    for (auto& job : group_) job.run(**group);
    outcome_ = (*group)->commit();
  } else {
    outcome_ = group.error();
  }
  if (group.ok()) group->reset();
  // A failure is none of the jobs, which are durable; a later step tries again.
  if (outcome_.ok()) static_cast<void>(store_.compact(rows_per_compaction));
  if (events_.is_power_out()) return end_process();
  next_phase(Phase::Answering);
  if (outcome_.ok()) events_.on_commit();
}

void SimulatedWriteQueue::answer_group() {
  phase_ = Phase::Idle;
  const auto group = std::exchange(group_, {});
  const auto outcome = outcome_;
  if (!waiting_.empty()) next_phase(Phase::Writing);
  for (const auto& job : group) job.done(outcome);
}

void SimulatedWriteQueue::set_paused(bool is_paused) {
  is_paused_ = is_paused;
  if (!is_paused_ && is_due_) run_phase();
}

void SimulatedWriteQueue::end_process() {
  alarm_.cancel();
  is_paused_ = true;
}

}  // namespace quadrille::sim
