// One site of a simulation: the same Site as in production, on a store in a directory of its own, that can be started,
// crashed, paused and started again.
//
// A crash is the end of the process: at that moment nothing more is committed, sent or answered, while bytes that had
// been written to a connection still arrive. The store comes back from a copy of its file taken at the crash, before
// any destructor ran: LMDB cannot be opened twice on one file in one process, and a destructor of the old life must not
// be able to change what the new life finds. What LMDB has written is in the file, whether flushed or not, because the
// machine lives on.
//
// A loss of power is a crash, and takes what was not flushed along (watched_file.h). It comes between two of the calls
// that LMDB makes, mostly in the middle of a commit: then nothing that follows from that commit happens any more.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/temporary_file.h"
#include "log/version_vector.h"
#include "reconcile/assignment.h"
#include "reconcile/stability.h"
#include "replica/site/site.h"
#include "sim/network.h"
#include "sim/pause_gate.h"
#include "sim/random_stream.h"
#include "sim/simulated_write_queue.h"
#include "sim/trace.h"
#include "sim/virtual_time.h"
#include "sim/watched_file.h"

namespace quadrille::sim {

class SimulatedSite {
 public:
  // References outlive the site.
  struct Parts {
    VirtualTime& time;
    Trace& trace;
    Network& network;
    uint64_t seed = 0;
    int64_t clock_skew_ms = 0;
    SimulatedWriteQueue::Delays delays;
    sync::SyncOptions sync_options;
    reconcile::PolicyRegistry policies;
    // null: the rule as it should be. Called at each start.
    std::function<std::unique_ptr<reconcile::Stability>(const log::SiteId& self, const std::set<std::string>& members)>
        make_stability;
    std::function<void(SimulatedSite&)> on_commit;  // after each commit, with the site running
    // Power failed in the middle of a commit: the site does nothing any more. Outside of the event loop, soon,
    // finish_power_loss() is to be called.
    std::function<void(SimulatedSite&)> on_power_loss;
    std::function<void(const SimulatedSite&)> on_start;  // after each; may be null
    std::vector<std::string> dials;                      // whom it keeps connected to
    bool flushes = false;                                // what it commits: else no loss of power may come
    bool disk_lies = false;  // a fault to be found: it does not flush what it says that it has flushed
  };

  // `directory` is made, and belongs to this site. The site does not run yet.
  SimulatedSite(Parts parts, const std::filesystem::path& directory, reconcile::SiteIdentity identity);
  ~SimulatedSite();
  SimulatedSite(const SimulatedSite&) = delete;
  SimulatedSite& operator=(const SimulatedSite&) = delete;

  // Both of a site that exists and is not running, or is running, respectively.
  base::Result<void> start();
  void crash();
  void pause();
  void resume();
  // Of one that is running and flushes. Power fails once LMDB has made so many more calls that write or flush.
  void lose_power_after(uint64_t calls);
  // It has failed, or is to fail by now: the process is gone.
  void finish_power_loss();
  bool is_losing_power() const noexcept { return life_ && life_->is_losing_power; }
  // Gone, with all that it had. Running or not.
  void lose_disk();
  // Of one that is not running: a new life under this id begins with a copy of a member's store, and is to join. What
  // it has: `has`, up to that position of its log.
  base::Result<void> adopt(const base::TemporaryFile& copy, const log::SiteId& id, log::VersionVector* has,
                           uint64_t* position);
  // Of one that is running: all of its store, in a file of its own directory.
  base::Result<std::unique_ptr<base::TemporaryFile>> copy() const;

  const std::string& name() const noexcept { return identity_.site.name; }
  const log::SiteId& id() const noexcept { return identity_.site; }
  bool is_running() const noexcept { return life_ && !life_->is_power_out; }
  bool is_paused() const noexcept { return !gate_.is_open(); }
  // Counts starts; a request that was sent in an earlier life is answered no more.
  uint64_t life_number() const noexcept { return life_number_; }
  uint64_t pause_count() const noexcept { return pause_count_; }
  uint64_t file_bytes() const;  // of its store; 0: there is none
  // Requires that it is running.
  replica::Site& site() noexcept { return *life_->site; }
  const reconcile::SiteStore& store() const noexcept { return life_->site->store(); }
  SimulatedWallClock& wall_clock() noexcept { return wall_clock_; }
  SimulatedSteadyClock& steady_clock() noexcept { return steady_clock_; }
  RandomStream& random() noexcept { return random_; }

 private:
  class GatedDialer;
  class Observer;
  struct Life {
    std::optional<WatchedFile> disk;        // of a site that flushes
    SimulatedWriteQueue* writer = nullptr;  // the site's
    std::unique_ptr<replica::Site> site;
    bool is_losing_power = false;
    bool is_power_out = false;
  };

  std::filesystem::path life_directory(uint64_t number) const;
  reconcile::SiteStoreOptions store_options() const;
  void on_power_out();
  void end_life();
  void copy_store(const std::filesystem::path& to) const;
  void accept(kj::Own<kj::AsyncIoStream> stream);

  Parts parts_;
  std::filesystem::path directory_;
  reconcile::SiteIdentity identity_;
  SimulatedWallClock wall_clock_;
  SimulatedSteadyClock steady_clock_;
  RandomStream random_;
  RandomStream power_;
  PauseGate gate_;
  PausableTimer timer_;
  std::unique_ptr<sync::Dialer> network_dialer_;
  std::unique_ptr<GatedDialer> dialer_;
  std::vector<kj::Own<kj::AsyncIoStream>> not_yet_accepted_;  // came while paused
  uint64_t life_number_ = 0;
  uint64_t pause_count_ = 0;
  std::unique_ptr<Life> life_;
};

}  // namespace quadrille::sim
