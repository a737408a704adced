// A WriteQueue in virtual time, with group commit: jobs that come in while a group is being made durable share the
// next one. A crash may fall before the commit, or between the commit and the answers.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "reconcile/site_store.h"
#include "reconcile/write_queue.h"
#include "sim/random_stream.h"
#include "sim/virtual_time.h"

namespace quadrille::sim {

class SimulatedWriteQueue final : public reconcile::WriteQueue {
 public:
  // What is drawn for each group: how long until it is durable. The answers are given after as long again.
  struct Delays {
    int64_t commit_us_min = 0;
    int64_t commit_us_max = 0;
  };
  // What it tells; both outlive it.
  struct Events {
    std::function<void()> on_commit;     // after each commit that went well
    std::function<bool()> is_power_out;  // asked after each commit: whether it failed meanwhile. Then nothing follows
  };
  SimulatedWriteQueue(reconcile::SiteStore& store, VirtualTime& time, RandomStream& random, const Delays& delays,
                      Events events);

  // On the loop's thread, also from within `done`; not from within a job.
  void submit(std::function<void(reconcile::WriteGroup&)> job,
              std::function<void(const base::Result<void>&)> done) override;

  // A paused process commits and answers nothing.
  void set_paused(bool is_paused);
  // The process is gone: no job runs any more, nobody is answered.
  void end_process();

 private:
  struct Job {
    std::function<void(reconcile::WriteGroup&)> run;
    std::function<void(const base::Result<void>&)> done;
  };
  enum class Phase : uint8_t { Idle, Writing, Answering };

  void next_phase(Phase phase);
  void run_phase();
  void commit_group();
  void answer_group();

  reconcile::SiteStore& store_;
  VirtualTime& time_;
  RandomStream& random_;
  Delays delays_;
  Events events_;
  std::deque<Job> waiting_;
  std::vector<Job> group_;
  base::Result<void> outcome_;
  Phase phase_ = Phase::Idle;
  Alarm alarm_;
  bool is_paused_ = false;
  bool is_due_ = false;  // the alarm rang while paused
};

}  // namespace quadrille::sim
