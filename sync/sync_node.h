// One site's side of all its connections to other sites: greeting, streams of changesets, heartbeats, settling.
//
// Everything runs on one kj event loop, on one thread. The node knows no socket, no clock and no thread: connections
// come in as kj::AsyncIoStream, time as kj::Timer, chance as base::RandomSource, and writing is asked of a WriteQueue.
// The protocol is specified by the comments of sync.capnp.
#pragma once

#include <kj/async-io.h>
#include <kj/async.h>
#include <kj/timer.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "log/changeset.h"
#include "log/version_vector.h"
#include "reconcile/site_store.h"
#include "reconcile/stability.h"
#include "reconcile/write_queue.h"
#include "sync/clock_status.h"
#include "sync/connection.h"

namespace quadrille::sync {

// How a node reaches an address. replica: an Asio socket; sim: a link in memory.
class Dialer {
 public:
  virtual ~Dialer() = default;
  virtual kj::Promise<Connection> dial(const std::string& address) = 0;
};

struct SyncOptions {
  uint32_t heartbeat_busy_ms = 1000;  // while something is unsettled
  uint32_t heartbeat_idle_ms = 10000;
  uint32_t retry_delay_ms_min = 100;  // doubles, with jitter, up to the maximum
  uint32_t retry_delay_ms_max = 5000;
  uint32_t fold_cells_per_step = 5000;
  uint32_t compare_every_ms = 600'000;               // quads with those of each peer; 0: never
  uint64_t batch_bytes_max = 256 * 1024;             // changesets are gathered up to this size
  uint64_t message_bytes_max = 64 * 1024 * 1024;     // a larger message ends the connection
  int64_t max_clock_skew_ms = 300'000;               // what is stamped further ahead of our clock waits
  uint64_t changeset_bytes_max = uint64_t{4} << 30;  // of one received transaction; a larger one ends the connection
};

enum class PeerState : uint8_t { Disconnected, Greeting, Connected, Refused };

// What came of the last comparison of quads with a peer.
struct ComparedStatus {
  bool is_done = false;             // else nothing is known, and `why_not` says why
  bool is_equal = false;            // the digests of all quads as of one version
  std::vector<std::string> graphs;  // where they are not: the first of those that differ, as far as is known
  std::string why_not;              // of the last attempt, if that came to nothing
  uint64_t seconds_ago = 0;         // the last that was done
};

struct PeerStatus {
  std::string address;              // as dialed; empty for one that dialed us
  std::optional<log::SiteId> site;  // once greeted
  PeerState state = PeerState::Disconnected;
  std::string trouble;     // why it is not connected, one line
  log::VersionVector has;  // what we know it to have
  std::optional<ComparedStatus> compared;
  std::optional<PeerSkew> clock_skew;  // as far as it is known
  uint64_t changesets_sent = 0;
  uint64_t changesets_received = 0;  // without repeats
  uint64_t bytes_sent = 0;
  uint64_t bytes_received = 0;
};

// What the node tells the site; called on the loop.
struct SyncObserver {
  virtual ~SyncObserver() = default;
  virtual void on_applied(const reconcile::ApplyReport&) {}
  virtual void on_folded(const reconcile::FoldReport&) {}
  // The node has written a changeset of this site by itself, an answer to an eviction. It is durable.
  virtual void on_own_changeset(const log::ChangesetHeader&) {}
  virtual void on_trouble(const std::string& /*one line*/) {}
};

class SyncNode {
 public:
  struct Parts {
    reconcile::SiteStore& store;
    reconcile::WriteQueue& writer;
    std::unique_ptr<reconcile::Stability> stability;
    Dialer& dialer;
    kj::Timer& timer;
    const base::WallClock& wall_clock;
    base::RandomSource& random;  // jitter
    SyncObserver& observer;
  };
  static std::unique_ptr<SyncNode> make(Parts parts, const SyncOptions& options);
  virtual ~SyncNode() = default;  // closes all connections; submits no further job

  // Keeps a connection to that address, dialing again whenever it is lost or refused. Once per address.
  virtual void keep_connected(const std::string& address) = 0;
  // A connection that somebody made to us.
  virtual void accept(Connection connection) = 0;
  // A local transaction was committed, durably: it may be told to others. In commit order.
  virtual void on_local_commit(const log::ChangesetHeader& header) = 0;

  // Another member has said that this site was evicted: its updates are refused.
  virtual bool is_told_evicted() const = 0;
  virtual std::vector<PeerStatus> peers() const = 0;
  // This site's clock beside those of the others.
  virtual ClockStatus clock() const = 0;
  // Members that settling waits for; empty when all that is here is stable.
  virtual std::vector<std::string> waiting_for() const = 0;
  // The member whose messages reach the least far: provisional outcomes wait for it. Empty: there is no other.
  virtual std::string least_heard() const = 0;
};

}  // namespace quadrille::sync
