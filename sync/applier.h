// Hands received changesets to the writer, and knows what this site has.
//
// Several hand-overs may be under way at once: the next one does not wait for the commit of the one before. What is
// under way counts as expected, so that what depends on it may follow at once. When one fails, those that counted on it
// fail too; they are told apart, so that no peer is blamed for another one's fault.
//
// A large changeset (SiteStore::is_large) is taken in step by step, each in a job of its own, one such changeset at a
// time. What depends on it waits here; all else goes on.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "log/changeset.h"
#include "log/version_vector.h"
#include "reconcile/site_store.h"
#include "reconcile/write_queue.h"

namespace quadrille::sync {

class Applier {
 public:
  struct Outcome {
    reconcile::ApplyReport report;
    std::optional<base::Error> error;  // then not all of it was applied
    bool is_senders_fault = false;
  };
  // Called on the loop, after durable() has it; not called any more once the applier is gone.
  using Done = std::function<void(const Outcome&)>;

  // `store` is what the writer writes to. `on_applied`: called on the loop for each success, before its Done.
  Applier(reconcile::SiteStore& store, reconcile::WriteQueue& writer, log::VersionVector durable,
          std::function<void(const reconcile::ApplyReport&)> on_applied);

  const log::VersionVector& durable() const noexcept { return durable_; }
  const log::VersionVector& expected() const noexcept { return expected_; }  // and what is under way

  void on_local_commit(const log::ChangesetHeader& header);
  // In an order that agrees with causality, each dependency in expected() or earlier in the list.
  void submit(std::vector<log::ShippedChangeset> changesets, Done done);

 private:
  struct Submission;
  struct Work;
  using WorkPointer = std::shared_ptr<Work>;

  bool is_ready(const Work& work) const;
  void start_what_is_ready();
  void start(const WorkPointer& work);
  void start_small(const WorkPointer& work);
  void step(const WorkPointer& work);
  void on_step(const WorkPointer& work, const base::Result<void>& committed);
  void finish(Work& work, const base::Result<void>& committed);
  void fail_waiting();
  static void end_part(Work& work);

  reconcile::SiteStore& store_;
  reconcile::WriteQueue& writer_;
  log::VersionVector durable_;
  log::VersionVector expected_;
  log::VersionVector submitted_;     // durable, or a job that waits for nothing: what depends on it may follow
  std::deque<WorkPointer> waiting_;  // for what they depend on
  WorkPointer large_;                // the large changeset that is under way
  std::function<void(const reconcile::ApplyReport&)> on_applied_;
  uint64_t failures_ = 0;
  std::shared_ptr<Applier*> self_;  // jobs that outlive us find out by it
};

}  // namespace quadrille::sync
