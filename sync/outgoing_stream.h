// What one peer is sent: the own log from where the peer is, and heartbeats between, cut into batches.
//
// Knows nothing of connections, and keeps little: a place in the log. What the peer has yet to get stays in the log, so
// a slow peer costs no memory. Steps of next_batch():
//   1. The changeset at the cursor is skipped if the peer has it, if the peer is connected to its origin directly, or
//   if
//      the peer holds it back for now, or something that it depends on.
//   2. Else its header and then its chunks are put into the batch, as much as fits; the next batch goes on from there.
//   3. Before a changeset is begun, heartbeats go in whose time has come: the cursor has passed all that they name.
// A changeset that is not known to be durable here ends the walk: nothing may leave before it is.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "engine/base/result.h"
#include "log/version_vector.h"
#include "reconcile/site_store.h"
#include "reconcile/stability.h"

namespace quadrille::sync {

// Parts of the data of a batch, and what they are. See Entry in sync.capnp.
enum class PartKind : uint8_t { Header, Piece, LastPiece };
struct DataPart {
  PartKind kind = PartKind::Header;
  uint64_t bytes = 0;
};
using BatchEntry = std::variant<DataPart, reconcile::Heartbeat>;

struct OutgoingBatch {
  uint32_t round = 0;
  std::vector<BatchEntry> entries;
  std::string data;
  uint64_t changesets_completed = 0;
};

class OutgoingStream {
 public:
  struct Parts {
    const reconcile::SiteStore& store;
    const log::VersionVector& durable;  // what is known to be durable here; changes under us
    uint64_t batch_bytes_max;
  };
  struct Peer {
    log::SiteId site;
    log::VersionVector has;
    std::set<log::SiteId> direct;       // what it says it is connected to
    log::VersionVector held_back = {};  // of each origin the first changeset that it does not take yet
  };
  OutgoingStream(const Parts& parts, Peer peer);

  // Nothing: all that may go now has gone. NotFound: the log no longer keeps what the peer lacks.
  base::Result<std::optional<OutgoingBatch>> next_batch();

  // The heartbeat goes once the cursor has passed that position of the log. Older ones of that site that wait are
  // dropped, except the one that will go first: else a peer that is always behind would never get one.
  void add_heartbeat(const reconcile::Heartbeat& heartbeat, uint64_t after_position);

  void on_ack(const log::VersionVector& has) { peer_.has.merge(has); }
  void on_report(std::set<log::SiteId> direct, const log::VersionVector& has, uint32_t round,
                 log::VersionVector held_back = {});
  // Everything was sent and answered, and still the peer lacks some of it: starts again there. False if it does not.
  bool start_again_if_lost();

  const Peer& peer() const noexcept { return peer_; }
  uint32_t round() const noexcept { return round_; }

 private:
  struct OpenChangeset {
    uint64_t position = 0;
    log::ChangesetHeader header;
    uint32_t next_chunk = 0;
    std::string chunk;  // the current one
    size_t chunk_sent = 0;
  };
  struct WaitingHeartbeat {
    reconcile::Heartbeat heartbeat;
    uint64_t after_position = 0;
  };

  bool is_full(const OutgoingBatch& batch) const;
  bool skips(const log::ChangesetHeader& header) const;
  bool is_held_back(const log::ChangesetHeader& header) const;
  void start_from(const log::VersionVector& has);
  // Opens the next changeset that the peer lacks, if there is one.
  base::Result<bool> open_next(const reconcile::SiteSnapshot& snapshot);
  void add_header(OutgoingBatch& batch) const;
  base::Result<void> add_chunks(const reconcile::SiteSnapshot& snapshot, OutgoingBatch& batch);
  void add_due_heartbeats(OutgoingBatch& batch);

  Parts parts_;
  Peer peer_;
  uint32_t round_ = 0;
  uint64_t cursor_ = 1;      // position of the next changeset to look at
  log::VersionVector sent_;  // in this round, with what the peer had when it began
  std::optional<OpenChangeset> open_;
  std::deque<WaitingHeartbeat> heartbeats_;
};

}  // namespace quadrille::sync
