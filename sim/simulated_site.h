// One site of a simulation: the same Site as in production, on a store in a directory of its own, that can be started,
// crashed, paused and started again.
//
// A crash is the end of the process: at that moment nothing more is committed, sent or answered, while bytes that had
// been written to a connection still arrive. The store comes back from a copy of its file taken at the crash, before
// any destructor ran: LMDB cannot be opened twice on one file in one process, and a destructor of the old life must not
// be able to change what the new life finds. What LMDB has committed is in the file, whether flushed or not, because
// the machine lives on; a loss of power is not modelled here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

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
    std::vector<std::string> dials;                 // whom it keeps connected to
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

  const std::string& name() const noexcept { return identity_.site.name; }
  const log::SiteId& id() const noexcept { return identity_.site; }
  bool is_running() const noexcept { return life_ != nullptr; }
  bool is_paused() const noexcept { return !gate_.is_open(); }
  // Counts starts; a request that was sent in an earlier life is answered no more.
  uint64_t life_number() const noexcept { return life_number_; }
  uint64_t pause_count() const noexcept { return pause_count_; }
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
    SimulatedWriteQueue* writer = nullptr;  // the site's
    std::unique_ptr<replica::Site> site;
  };

  std::filesystem::path life_directory(uint64_t number) const;
  void copy_store(const std::filesystem::path& to) const;
  void accept(kj::Own<kj::AsyncIoStream> stream);

  Parts parts_;
  std::filesystem::path directory_;
  reconcile::SiteIdentity identity_;
  SimulatedWallClock wall_clock_;
  SimulatedSteadyClock steady_clock_;
  RandomStream random_;
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
