// Folds what has become causally stable, a bounded step at a time, through the writer.
#pragma once

#include <functional>
#include <memory>

#include "log/version_vector.h"
#include "reconcile/site_store.h"
#include "reconcile/stability.h"
#include "reconcile/write_queue.h"
#include "sync/alarm.h"

namespace quadrille::sync {

class Settler {
 public:
  struct Parts {
    reconcile::WriteQueue& writer;
    reconcile::Stability& stability;
    kj::Timer& timer;
    uint64_t cells_per_step;
    std::function<void(const base::Result<reconcile::FoldReport>&)> on_folded;  // on the loop, after each step
  };
  // `folded`: what the store has folded already. `own`: what this site has; changes under us.
  Settler(Parts parts, log::VersionVector folded, const log::VersionVector& own);

  // Something may have become stable. Cheap when nothing has.
  void settle();

 private:
  struct Step;
  bool has_work() const;
  void submit_step();
  void finish_step(const Step& step, const base::Result<void>& committed);

  Parts parts_;
  log::VersionVector folded_;  // all that could fold with this much stable has folded
  const log::VersionVector& own_;
  reconcile::Frontier last_;      // of the last step that came to its end
  log::VersionVector last_own_;   // what this site had then
  bool waits_for_stamp_ = false;  // as that one said
  bool is_stepping_ = false;
  kj::TimePoint not_before_;
  Alarm alarm_;
  std::shared_ptr<Settler*> self_;
};

}  // namespace quadrille::sync
