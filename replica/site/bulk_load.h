// Documents of any size into a site, as one transaction: built aside on many threads (engine/load/bulk_load.h), logged
// by reference, and switched in by a small commit, so that updates go on meanwhile.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/base/task_runner.h"
#include "engine/load/bulk_load.h"
#include "engine/load/document.h"
#include "reconcile/site_store.h"
#include "reconcile/write_queue.h"
#include "replica/site/site.h"

namespace quadrille::replica {

// The site's writer, as a load needs it: each job is run in a group that is then committed.
class LoadWriter {
 public:
  using Job = std::function<base::Result<void>(reconcile::WriteGroup&)>;
  virtual ~LoadWriter() = default;
  // Returns when the group is durable, or with the error of the job or of the commit. From any thread.
  virtual base::Result<void> run(const Job& job) = 0;
};

// For a site that is not being served: nobody else writes.
class DirectLoadWriter final : public LoadWriter {
 public:
  explicit DirectLoadWriter(reconcile::SiteStore& store) : store_(store) {}
  base::Result<void> run(const Job& job) override;

 private:
  reconcile::SiteStore& store_;
  std::mutex mutex_;
};

// For a site with a writer of its own. Never to be used on the thread of the event loop, which it waits for.
class QueuedLoadWriter final : public LoadWriter {
 public:
  // All must outlive it. Once `stopping` is true it waits no longer: Unavailable.
  QueuedLoadWriter(reconcile::WriteQueue& queue, const std::atomic<bool>& stopping)
      : queue_(queue), stopping_(stopping) {}
  base::Result<void> run(const Job& job) override;

 private:
  reconcile::WriteQueue& queue_;
  const std::atomic<bool>& stopping_;
};

struct BulkLoadParts {
  reconcile::SiteStore& store;
  LoadWriter& writer;
  base::TaskRunner& runner;
  base::RandomSource& random;
};

// An error says "NAME:LINE:COLUMN: what"; then nothing of the load is there but terms.
base::Result<reconcile::CommitReceipt> bulk_load(std::vector<load::Document> documents, const BulkLoadParts& parts,
                                                 const load::LoadOptions& options);

}  // namespace quadrille::replica
