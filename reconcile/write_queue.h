// Who writes, and when: one writer, fed by a queue. The replica runs it on a thread and commits several jobs at once;
// the simulator runs it inline.
#pragma once

#include <functional>

#include "engine/base/result.h"
#include "reconcile/site_store.h"

namespace quadrille::reconcile {

class WriteQueue {
 public:
  virtual ~WriteQueue() = default;
  // `job` runs on the writer, once, and keeps its own outcome. `done` runs on the event loop's thread after the group
  // of the job is durable (ok), or when the commit failed and nothing of it is there. Callable from any thread.
  // Jobs run in the order in which they were submitted.
  virtual void submit(std::function<void(WriteGroup&)> job, std::function<void(const base::Result<void>&)> done) = 0;
};

}  // namespace quadrille::reconcile
