// Lets a request in once the site's state includes what the request's version token names. Who has to wait costs no
// thread: it is parked here, and called back.
//
// A token that can never be satisfied is refused at once: it names a changeset of this site that this site does not
// have and has not under way (a crash undid it, under relaxed durability), or one that this site knows with another
// hash.
#pragma once

#include <kj/async.h>
#include <kj/timer.h>

#include <atomic>
#include <functional>
#include <list>
#include <mutex>
#include <string>

#include "engine/base/result.h"
#include "reconcile/site_store.h"
#include "replica/site/changeset_memory.h"
#include "replica/site/version_token.h"
#include "sync/alarm.h"

namespace quadrille::replica {

class VersionGate final : private kj::TaskSet::ErrorHandler {
 public:
  // Called once, on the loop: ok, the state includes it now; or why not, in one line. Soon to return.
  using Entered = std::function<void(const base::Result<void>&)>;

  // Both outlive it. `waiting_max`: so many requests wait at once.
  VersionGate(const reconcile::SiteStore& store, kj::Timer& timer, size_t waiting_max = 256);
  ~VersionGate() noexcept = default;  // who waits is not called any more

  // From any thread. False: not yet. Mismatch: never.
  base::Result<bool> includes(const VersionToken& token) const;
  // From any thread: of what the snapshot includes.
  std::string token_text(const reconcile::SiteSnapshot& snapshot) const;

  // On the loop. Timeout after `patience_ms`, saying which origin lags by how much; Mismatch as above; Busy if too many
  // wait; Unavailable once the gate is closed. `is_gone` may be null: else it lives as long as `entered`, and once it
  // is true nobody waits any more.
  void enter(const VersionToken& token, int64_t patience_ms, const std::atomic<bool>* is_gone, Entered entered);
  // On the loop: the store includes more than before.
  void on_advance();
  // On the loop: all who wait are told that the site stops, and those who come.
  void close();
  size_t waiting() const noexcept { return waiting_.size(); }  // on the loop

  ChangesetMemory& memory() noexcept { return memory_; }

 private:
  struct Waiting {
    VersionToken lacking;  // not empty: what the state did not include at the last look
    int64_t patience_ms = 0;
    kj::TimePoint deadline;
    const std::atomic<bool>* is_gone = nullptr;
    Entered entered;
  };

  // The part of the token that the state does not include yet. Mismatch: never will.
  base::Result<VersionToken> find_lacking(const VersionToken& token) const;
  base::Result<void> check_hash(const VersionToken::Entry& entry, const reconcile::SiteSnapshot& snapshot,
                                const log::VersionVector& version) const;
  void look_again();
  void end_late();
  void set_alarm();
  base::Error too_late(const Waiting& waiting) const;
  void taskFailed(kj::Exception&& exception) override;

  const reconcile::SiteStore& store_;
  kj::Timer& timer_;
  const size_t waiting_max_;
  ChangesetMemory memory_;
  std::list<Waiting> waiting_;  // in the order in which they came
  bool is_closed_ = false;
  bool is_look_scheduled_ = false;
  sync::Alarm alarm_;
  kj::TaskSet tasks_;

  mutable std::mutex mutex_;  // of what follows: the token that was asked for last
  mutable log::VersionVector last_version_;
  mutable std::string last_text_;
};

}  // namespace quadrille::replica
