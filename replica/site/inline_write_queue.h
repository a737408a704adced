// A WriteQueue without a thread: each job runs and is committed within submit(), on the caller's thread. For the
// simulator and for tests.
#pragma once

#include <kj/async.h>

#include <functional>

#include "reconcile/site_store.h"
#include "reconcile/write_queue.h"

namespace quadrille::replica {

// submit() belongs to the loop's thread, and is not called from within a job. `done` is called by the loop, later, in
// the order of the jobs; those not called yet when the queue is destroyed are dropped.
class InlineWriteQueue final : public reconcile::WriteQueue, private kj::TaskSet::ErrorHandler {
 public:
  explicit InlineWriteQueue(reconcile::SiteStore& store);
  ~InlineWriteQueue() noexcept override = default;
  void submit(std::function<void(reconcile::WriteGroup&)> job,
              std::function<void(const base::Result<void>&)> done) override;

 private:
  void compact();
  void taskFailed(kj::Exception&& exception) override;

  reconcile::SiteStore& store_;
  kj::TaskSet callbacks_;
};

}  // namespace quadrille::replica
