#include "replica/site/inline_write_queue.h"

#include <utility>

#include "engine/base/check.h"

namespace quadrille::replica {
namespace {

constexpr uint64_t rows_per_compaction = 2048;

}  // namespace

InlineWriteQueue::InlineWriteQueue(reconcile::SiteStore& store) : store_(store), callbacks_(*this) {}

void InlineWriteQueue::submit(std::function<void(reconcile::WriteGroup&)> job,
                              std::function<void(const base::Result<void>&)> done) {
  base::Result<void> committed;
  auto group = store_.begin();
  if (group.ok()) {
    job(**group);
    committed = (*group)->commit();
  } else {
    committed = group.error();
  }
  if (committed.ok()) {
    group->reset();
    compact();
  }
  callbacks_.add(kj::evalLater([done = std::move(done), committed = std::move(committed)]() { done(committed); }));
}

// A failure is none of the job, which is durable; a later step tries again.
void InlineWriteQueue::compact() { static_cast<void>(store_.compact(rows_per_compaction)); }

void InlineWriteQueue::taskFailed(kj::Exception&& exception) {
  base::fail_check("done()", exception.getDescription().cStr(), __FILE__, __LINE__);
}

}  // namespace quadrille::replica
