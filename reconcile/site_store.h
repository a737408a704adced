// The store of one site: quads, change log, history window and conflict records in one LMDB environment, changed
// together. What a local transaction, a received changeset and a fold do to them is decided here, and only here.
//
// Threads: any number of SiteSnapshots at once, from any thread. One WriteGroup at a time, used and committed on the
// thread that began it. Nothing here waits for another site.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/load/prepared_load.h"
#include "engine/model/quad_source.h"
#include "log/changeset.h"
#include "log/version_vector.h"
#include "reconcile/assignment.h"
#include "reconcile/conflict_bounds.h"
#include "reconcile/conflict_record.h"
#include "reconcile/membership.h"

namespace quadrille::base {
class TemporaryFile;
}  // namespace quadrille::base
namespace quadrille::store {
class Store;
struct StatisticsChange;
}  // namespace quadrille::store

namespace quadrille::reconcile {

class QuadsAtCut;

// Who this store is; written at creation, and never changed but where a copy becomes another site (store_copy.h).
struct SiteIdentity {
  log::SiteId site;
  std::string cluster;
  std::vector<std::string> members;  // names of the founding sites, sorted; who belongs to it now: membership()
  Assignment assignment;
  bool is_copy = false;  // made from another site's store: it is a member only once it has been let in by a changeset
};

struct SiteStoreOptions {
  bool flush = true;                       // false only where a simulation says so: commits survive no power loss
  uint64_t map_bytes = uint64_t{1} << 40;  // reserved address space, the most that the store can grow to
  // Changesets of so many operations and more have a range in the history window rather than rows. Others in tests
  // only.
  uint64_t large_changeset_min = 10'000;
  ConflictBounds conflict_bounds;
};

// What the site is given from outside. All outlive the store.
struct SiteParts {
  const PolicyRegistry& policies;
  const base::WallClock& wall_clock;
  base::RandomSource& random;
};

// A state that does not change, and all that belongs to it. Cheap; holds LMDB pages for as long as it lives.
class SiteSnapshot : public model::QuadSource {
 public:
  virtual log::VersionVector version_vector() const = 0;
  // Changesets that folding has walked (folding.h): of these, only versions that wait for a concurrent one are still in
  // the window.
  virtual log::VersionVector folded_vector() const = 0;
  virtual uint64_t quad_count() const = 0;        // without local graphs (local_graphs.h)
  virtual log::ChangesetHash digest() const = 0;  // of all quads, order-free, local graphs left out; scans them
  // Cells that have history; one that several large changesets wrote, and nobody else, counts as often.
  virtual uint64_t window_cell_count() const = 0;
  virtual uint64_t log_entry_count() const = 0;               // changesets kept
  virtual std::vector<ConflictRecord> conflicts() const = 0;  // by time, then id
  // Cells of which some outcome is not yet what their policy says, which reads other cells: until all that is settled
  // has been replayed, its fallback decides.
  virtual uint64_t provisional_outcome_count() const = 0;
  // Records that the local graph does not show yet as they are: WriteGroup::publish_conflicts.
  virtual uint64_t unpublished_conflict_count() const = 0;
  virtual NumberedAssignment assignment() const = 0;  // in force

  // The log in the order in which changesets entered here, which agrees with causality. Positions count from 1, grow
  // by one, and are this site's own.
  virtual uint64_t last_position() const = 0;
  // The first position that holds a changeset that `vector` does not cover; last_position() + 1 if there is none.
  // If the log no longer keeps such a changeset, a position that it no longer keeps. Behind a first position that it
  // keeps, those that it no longer keeps are at every member, and may be passed over.
  virtual uint64_t first_missing(const log::VersionVector& vector) const = 0;
  // Requires 1 <= position <= last_position(). NotFound if the log no longer keeps it.
  virtual base::Result<log::ChangesetHeader> header_at(uint64_t position) const = 0;
  virtual base::Result<log::ShippedChangeset> changeset_at(uint64_t position) const = 0;
  // One chunk of it, chunk < header.chunk_count: a sender holds no more of a large changeset at a time.
  virtual base::Result<std::string> chunk_at(uint64_t position, uint32_t chunk) const = 0;
};

struct CommitReceipt {
  log::ChangesetHeader header;  // of a transaction that asserted nothing: seq 0, and nothing was logged
  uint64_t quads_inserted = 0;
  uint64_t quads_erased = 0;
};

struct ApplyReport {
  std::vector<log::ChangesetHeader> applied;  // in order; what was here already is left out
  uint64_t operations = 0;
  uint64_t cells_in_conflict = 0;
};

// A load on its way into the site (engine/load/prepared_load.h): what log and history window will have of it, written
// aside like the load itself.
//   1. SiteStore::stage_load.
//   2. load::prepare_load, which is given asserted() and is_bulk().
//   3. finish().
//   4. WriteGroup::adopt.
// Belongs to one thread at a time, but for what says otherwise. Must not outlive the store. Destroyed before it was
// adopted, it is removed by the next steps of SiteStore::compact.
class StagedLoad {
 public:
  virtual ~StagedLoad() = default;
  // For load::LoadParts: the quads by themselves.
  virtual const store::Store& quads() const = 0;
  // Null where nobody asks: the site has no other member, and needs neither log nor window.
  virtual load::AssertedQuads* asserted() = 0;
  // Whether the load's run may have the quad; the others are the site's to write. From any thread.
  virtual bool is_bulk(const model::Quad& quad) const = 0;
  // Writes what is left to be written, in short commits. As long as it takes; holds no snapshot throughout.
  virtual base::Result<void> finish(load::StoreWriter& writer) = 0;
};

// A received changeset too large for one job of the writer, on its way in. The writer's, from SiteStore::stage on. What
// was not let in is removed: its bulk by the next steps of SiteStore::compact once it is given up or destroyed, its run
// by give_up, or when the store is opened.
class StagedChangeset {
 public:
  virtual ~StagedChangeset() = default;
  virtual const log::ChangesetHeader& header() const = 0;
};

// How far a site knows that it has all. DESIGN section 4, "Settling". See reconcile/stability.h.
struct Frontier {
  log::VersionVector stable;  // every member is known to have this; causally closed
  log::Stamp settled;         // every changeset of another member up to here has come in

  friend bool operator==(const Frontier&, const Frontier&) = default;
};

// Whether others would take what this site stamps by its clock (sync/clock_watch.h).
struct ClockRuling {
  std::string refusal;  // why updates are refused, in one line; empty: they are not
  // Stamps of what this site must say by itself all the same (heartbeats, answers to evictions) follow its wall clock
  // up to here.
  int64_t believed_ms_max = std::numeric_limits<int64_t>::max();

  friend bool operator==(const ClockRuling&, const ClockRuling&) = default;
};

struct FoldReport {
  uint64_t cells_folded = 0;
  bool is_done = true;           // false: the limit was reached; call again
  log::VersionVector folded;     // all that could fold with this much stable has folded
  bool is_held = false;          // WriteGroup::hold_folding: nothing folded; what is to be replayed was
  bool waits_for_stamp = false;  // some changesets are still to be replayed, once their stamps are settled
};

struct RepairReport {
  uint64_t inserted = 0;
  uint64_t erased = 0;
  uint64_t left = 0;  // quads whose cells have a history that cannot be put right from outside
};

// Several requests that share one commit. Each is atomic for itself: one that fails leaves nothing behind and does not
// disturb the others. Destroyed without commit(), all of it is undone.
class WriteGroup {
 public:
  virtual ~WriteGroup() = default;

  // One local transaction. `work` reads and writes through the target; an error that it returns undoes it.
  // What the transaction asserted becomes one changeset, decided as DESIGN section 3 has it: quad cells by assertion,
  // value and record cells by what was seen and left. Refused: what a policy that checks local changes refuses; two
  // values left in one single-valued cell whose policy does not accept several; writes to local graphs.
  virtual base::Result<CommitReceipt> update(const std::function<base::Result<void>(model::QuadTarget&)>& work) = 0;

  // The whole assignment comes into force here, and travels as a changeset (AssignmentNumber). InvalidInput: it is not
  // one that the site's policies fit. ResourceExhausted: too many still count (assignments_max).
  virtual base::Result<CommitReceipt> assign(const Assignment& assignment) = 0;

  // Lets a site join, or evicts one of that name (of its life that is a member), by a changeset. Refused: it is one
  // already; it is none, or this site itself; this site is none, or has an eviction to answer first; the log keeps
  // not all of what a joining site that `has` so much lacks, or that one has what this site lacks.
  virtual base::Result<CommitReceipt> add_member(const log::SiteId& site, const log::VersionVector& has) = 0;
  virtual base::Result<CommitReceipt> evict_member(const std::string& name) = 0;
  // Answers, by a changeset, the evictions that wait for this site (else seq 0: nothing was logged), and notes those
  // that are complete. To be called whenever the membership has changed here.
  virtual base::Result<CommitReceipt> settle_membership() = 0;
  // Whether a member says that this site was evicted. That changeset does not come here: while it is so, and until the
  // store is closed, updates are refused.
  virtual void note_told_evicted(bool is_told) = 0;
  // What has become of comparing this site's clock with others'. Counts until the next ruling, or the store is closed.
  virtual void note_clock(const ClockRuling& ruling) = 0;
  // The log keeps what it has from now on until that wall time, though all members have it: somebody copies the store,
  // and will ask for what came after.
  virtual void keep_log_until(int64_t wall_ms) = 0;

  // Nothing folds here for so long: somebody wants to know what the site holds as of a cut (quads_at_cut.h), which is
  // to cover what the site has now. Each holder has one hold; 0 ends it. Lasts no longer than the process.
  virtual void hold_folding(uint64_t holder, int64_t for_ms) = 0;
  // Puts right what differs from another site's quads as of `cut`: `work` inserts what is to exist as of the cut and
  // does not, and erases what exists and is not to. This is no change: nothing is logged, and what has come since the
  // cut stands. Refused: folding has passed the cut.
  virtual base::Result<RepairReport> repair(const log::VersionVector& cut,
                                            const std::function<base::Result<void>(model::QuadTarget&)>& work) = 0;
  // Puts right what is kept of the quads' numbers and digests (QuadsAtCut::lost_from_totals).
  virtual base::Result<void> correct_totals(const store::StatisticsChange& change) = 0;

  // Changesets from elsewhere, in an order that agrees with causality. What is here already is skipped. InvalidInput
  // if one does not decode, breaks its origin's hash chain, leaves a gap, or depends on what is not here: then none of
  // this call is applied.
  virtual base::Result<ApplyReport> apply(std::span<const log::ShippedChangeset> changesets) = 0;

  // A step of taking in a large changeset: some tens of milliseconds of the writer. Nothing: submit another job for the
  // next step. A report: it is in. What apply() says of order and errors holds for the last step as for the first.
  // After an error, and when a step is not committed, it is to be given up; so a next step says that the one before was
  // committed.
  virtual base::Result<std::optional<ApplyReport>> apply_step(StagedChangeset& changeset) = 0;
  // A step of removing what there is of it. True: what is left is for compact().
  virtual base::Result<bool> give_up(StagedChangeset& changeset) = 0;

  // Switches a load in, as one changeset of this site: takes little time, however large it is, but for its quads of
  // value and record cells, which are written here. `names`: of the documents, for errors. Refused: as update(). Busy:
  // the load has to look again (PreparedLoad::look_again); where it stays so, too much was written meanwhile.
  virtual base::Result<CommitReceipt> adopt(StagedLoad& staged, load::PreparedLoad& load,
                                            std::span<const std::string> names) = 0;
  // A short piece of work on what is built aside and seen by nobody yet. What it throws as a StorageError is the
  // result.
  virtual base::Result<void> write_aside(const std::function<void(store::Transaction&)>& work) = 0;

  // Where policies count that read other cells, replays settled changesets; then folds whole, causally stable, leading
  // components into the base. Looks at no more than about `cell_limit` cells in this call (a changeset that is replayed
  // is not parted).
  virtual base::Result<FoldReport> fold(const Frontier& frontier, uint64_t cell_limit) = 0;

  // Shows what conflicts there are in the local graph, at most `limit` records. True: there are more. A group does so
  // by itself where they are few; SiteStore::compact does it with the rest.
  virtual base::Result<bool> publish_conflicts(size_t limit) = 0;

  // A stamp above all that this site gave or saw, for a heartbeat. A floor above it is reserved in this group if need
  // be, so the stamp may be told only after commit().
  virtual log::Stamp tick() = 0;
  virtual log::VersionVector version_vector() const = 0;

  // Durable when it returns ok. On error nothing of the group is there.
  virtual base::Result<void> commit() = 0;
};

class SiteStore {
 public:
  // Makes a store in `directory`, which must not exist or be empty. All of it or nothing.
  static base::Result<void> create(const std::filesystem::path& directory, const SiteIdentity& identity,
                                   const PolicyRegistry& policies, const SiteStoreOptions& options);
  // NotFound: not a store. Mismatch: another format version. Busy: open in another process.
  static base::Result<std::unique_ptr<SiteStore>> open(const std::filesystem::path& directory, const SiteParts& parts,
                                                       const SiteStoreOptions& options);
  virtual ~SiteStore() = default;

  virtual const SiteIdentity& identity() const = 0;
  // Who belongs to the cluster, as far as is known here. From any thread.
  virtual Membership membership() const = 0;
  // Another number after each commit that may have changed that. From any thread.
  virtual uint64_t membership_changes() const = 0;
  virtual log::ChangesetHash assignment_digest() const = 0;  // of the one in force
  // By number, of all that still count here. Sites that meet compare those that both have.
  virtual std::map<log::AssignmentNumber, log::ChangesetHash> assignment_digests() const = 0;
  // `readers`: how many threads may read it side by side, by twins (QuadSource::make_twin).
  virtual std::unique_ptr<SiteSnapshot> snapshot(size_t readers = 1) const = 0;
  // From any thread. Unavailable: the site does not have all of the cut. Refused: it has folded what is not in it, or
  // has learned of another assignment or membership since. Busy: too much has come since.
  // `cells_max`: have been written since.
  virtual base::Result<std::unique_ptr<QuadsAtCut>> quads_at(const log::VersionVector& cut,
                                                             size_t cells_max = 2'000'000) const = 0;
  virtual base::Result<std::unique_ptr<WriteGroup>> begin() = 0;
  // A step of moving what was written lately into the compressed quads, where enough has come together, and of removing
  // what large changesets have no more use for; changes nothing that anybody reads. On the writer, between groups; a
  // transaction of its own, of about `row_limit` rows of work (a million or so a second). True: there is more to do.
  virtual base::Result<bool> compact(uint64_t row_limit) = 0;
  // Whether a received changeset is to be taken in step by step (then WriteGroup::apply takes long over it).
  virtual bool is_large(const log::ChangesetHeader& header) const = 0;
  virtual std::unique_ptr<StagedChangeset> stage(log::ShippedChangeset changeset) = 0;
  // On any thread. `writer` writes to this store, by way of WriteGroup::write_aside.
  virtual base::Result<std::unique_ptr<StagedLoad>> stage_load(load::StoreWriter& writer) = 0;
  // All of it as of one commit, to be the store of another site (store_copy.h). On any thread; as long as the disk
  // takes.
  virtual base::Result<void> write_copy(base::TemporaryFile& file) const = 0;
  // Offline check: orders, dictionary, log against quads, window against quads. Each finding is one line.
  virtual std::vector<std::string> verify() const = 0;
};

}  // namespace quadrille::reconcile
