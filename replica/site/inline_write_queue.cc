#include "replica/site/inline_write_queue.h"

#include <utility>

#include "engine/base/check.h"

namespace quadrille::replica {

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
  callbacks_.add(kj::evalLater([done = std::move(done), committed = std::move(committed)]() { done(committed); }));
}

void InlineWriteQueue::taskFailed(kj::Exception&& exception) {
  base::fail_check("done()", exception.getDescription().cStr(), __FILE__, __LINE__);
}

}  // namespace quadrille::replica
