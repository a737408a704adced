// A site: store, policies, SPARQL and sync wired together, the one place that does. It knows no socket, no thread and
// no main: the process (replica) and the simulator (sim) put those around it.
//
// Threads: update() and write() may be called from any thread, as may query() (query.h) on store(). All else belongs to
// the thread of the event loop. Destroy it there, after the last caller of update() and write() is gone.
#pragma once

#include <kj/timer.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/base/scratch.h"
#include "engine/base/task_runner.h"
#include "engine/load/bulk_load.h"
#include "engine/model/quad_source.h"
#include "engine/plan/plan_memory.h"
#include "engine/sparql/algebra.h"
#include "reconcile/site_store.h"
#include "reconcile/stability.h"
#include "reconcile/write_queue.h"
#include "replica/site/query.h"
#include "replica/site/version_gate.h"
#include "sync/sync_node.h"

namespace quadrille::replica {

class Site {
 public:
  // Called once, on the loop's thread: with the outcome after the transaction is durable here (or has run, where
  // durability is relaxed and it wrote something), or with the error after all of it was undone. Not called any more
  // once the site is being destroyed.
  using UpdateDone = std::function<void(base::Result<reconcile::CommitReceipt>)>;
  using Work = std::function<base::Result<void>(model::QuadTarget&)>;

  // References must outlive the site.
  struct Parts {
    std::unique_ptr<reconcile::SiteStore> store;
    // Runs a task on the loop's thread, soon; callable from the writer's. Given: durability is relaxed, an update is
    // answered once it has run, before its group is durable. Other sites are told of it only when it is.
    std::function<void(std::function<void()>)> answer_early;
    std::unique_ptr<reconcile::WriteQueue> writer;      // writes to `store`
    std::unique_ptr<reconcile::Stability> stability;    // null: the rule as it should be
    std::unique_ptr<sync::SyncObserver> sync_observer;  // null: nobody listens
    sync::Dialer& dialer;
    kj::Timer& timer;
    const base::WallClock& wall_clock;
    const base::SteadyClock& steady_clock;
    base::RandomSource& random;
    sync::SyncOptions sync_options;
    base::ScratchPlace* scratch = nullptr;  // for queries that outgrow their memory; null: they end
  };
  // Starts the sync node; whoever made the site says whom to keep_connected() to.
  explicit Site(Parts parts);
  ~Site();
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;

  const reconcile::SiteStore& store() const noexcept { return *parts_.store; }
  sync::SyncNode& sync() noexcept { return *sync_; }
  const sync::SyncNode& sync() const noexcept { return *sync_; }
  const base::WallClock& wall_clock() const noexcept { return parts_.wall_clock; }
  const base::SteadyClock& steady_clock() const noexcept { return parts_.steady_clock; }
  base::RandomSource& random() const noexcept { return parts_.random; }
  VersionGate& versions() noexcept { return versions_; }
  const VersionGate& versions() const noexcept { return versions_; }
  // For queries of this site's store; from any thread.
  RunParts run_parts() noexcept {
    return {parts_.wall_clock, parts_.steady_clock, parts_.random, &plan_memory_, {}, parts_.scratch};
  }

  // Runs a SPARQL Update request as one transaction.
  void update(std::string_view text, UpdateDone done);
  // `inputs`: what was fetched for it; without them LOAD and SERVICE are refused.
  void update(sparql::Update update, QueryOptions options, UpdateDone done,
              std::shared_ptr<UpdateInputs> inputs = nullptr);
  // Documents of any size, as one transaction that is built aside (bulk_load.h). On any thread but the loop's, which it
  // waits for; as long as it takes. `options.stopping` is there.
  base::Result<reconcile::CommitReceipt> bulk_load(std::vector<load::Document> documents, base::TaskRunner& runner,
                                                   const load::LoadOptions& options);
  // Any other transaction. `work` runs on the writer's thread, once; an error that it returns undoes what it did.
  void write(Work work, UpdateDone done);
  // A whole policy assignment, in force from then on here, and elsewhere when it comes there.
  void assign(reconcile::Assignment assignment, UpdateDone done);
  // Lets a site join that has so much, or evicts a member, by a changeset (reconcile::WriteGroup).
  void add_member(const log::SiteId& site, log::VersionVector has, UpdateDone done);
  void evict_member(std::string name, UpdateDone done);
  reconcile::WriteQueue& writer() noexcept { return *parts_.writer; }
  // What bulk_load() wrote: waiting requests and other sites are told of it. On the loop's thread.
  void on_local_commit(const log::ChangesetHeader& header);
  // Brings the graph of conflicts up to date with what was decided. On any thread but the loop's, which it waits for.
  base::Result<void> show_conflicts(const std::atomic<bool>& stopping);

 private:
  struct Written;
  class Observer;
  // In the order of the writer's work.
  static void answer(const std::shared_ptr<Written>& written);
  using GroupWork = std::function<base::Result<reconcile::CommitReceipt>(reconcile::WriteGroup&)>;
  void commit(GroupWork work, UpdateDone done);

  Parts parts_;
  plan::PlanMemory plan_memory_;
  VersionGate versions_;
  std::unique_ptr<Observer> observer_;
  std::unique_ptr<sync::SyncNode> sync_;  // goes before the writer and the store
  // Who answers early asks whether the site is still there.
  std::shared_ptr<const bool> is_alive_ = std::make_shared<const bool>(true);
};

}  // namespace quadrille::replica
