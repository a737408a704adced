#include "reconcile/lmdb_site_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "engine/model/vocabulary.h"
#include "log/bulk_table.h"
#include "reconcile/assignment_table.h"
#include "reconcile/conflict_publisher.h"
#include "reconcile/lmdb_quads_at_cut.h"
#include "reconcile/lmdb_site_snapshot.h"
#include "reconcile/lmdb_write_group.h"
#include "reconcile/local_graphs.h"
#include "reconcile/site_identity.h"
#include "reconcile/site_verification.h"
#include "reconcile/staged_changeset.h"
#include "reconcile/staged_load.h"

namespace quadrille::reconcile {
namespace {

store::StoreOptions store_options(const SiteStoreOptions& options) {
  store::StoreOptions result;
  result.environment.flush = options.flush;
  result.environment.map_bytes = options.map_bytes;
  return result;
}

model::TermId find_conflicts_graph(const store::Store& store) {
  const auto id = store.snapshot()->find_term(local_graphs().front());
  if (!id) throw base::StorageError({base::ErrorKind::Corruption, "the store lacks its graph of conflicts", {}});
  return *id;
}

// The directory as create() may take it: made if it is not there. Whether it was made.
base::Result<bool> prepare_directory(const std::filesystem::path& directory) {
  std::error_code trouble;
  const bool exists = std::filesystem::exists(directory, trouble);
  if (exists && !std::filesystem::is_directory(directory, trouble)) {
    return base::Error{base::ErrorKind::Refused, fmt::format("{} is not a directory", directory.string()), {}};
  }
  if (exists && !std::filesystem::is_empty(directory, trouble)) {
    return base::Error{base::ErrorKind::Refused,
                       fmt::format("{} is not empty; expected a new or empty directory", directory.string()),
                       {}};
  }
  if (!trouble && !exists) std::filesystem::create_directories(directory, trouble);
  if (trouble) {
    return base::Error{base::ErrorKind::IoFailure,
                       fmt::format("{}: cannot make a store there: {}", directory.string(), trouble.message()),
                       {}};
  }
  return !exists;
}

}  // namespace

base::Result<void> SiteStore::create(const std::filesystem::path& directory, const SiteIdentity& identity,
                                     const PolicyRegistry& policies, const SiteStoreOptions& options) {
  QUADRILLE_TRY(check_identity(identity, policies));
  QUADRILLE_ASSIGN(const bool was_made, prepare_directory(directory));
  auto created = store::Store::create(directory, store_options(options), [&](store::Transaction& transaction) {
    transaction.set_metadata(identity_name, encode(identity));
    for (const model::Term& graph : local_graphs()) transaction.intern(graph);
    intern_groups(identity.assignment, transaction);
    const store::Table assignments = transaction.tables().open_table(assignments_table);
    put_assignment(transaction.tables(), assignments, {{}, 0, std::nullopt, identity.assignment});
  });
  if (created.ok()) return {};
  std::error_code ignored;
  if (was_made) std::filesystem::remove_all(directory, ignored);
  return created.error();
}

base::Result<std::unique_ptr<SiteStore>> SiteStore::open(const std::filesystem::path& directory, const SiteParts& parts,
                                                         const SiteStoreOptions& options) {
  return base::catch_storage_error([&]() -> base::Result<std::unique_ptr<SiteStore>> {
    QUADRILLE_ASSIGN(auto store, store::Store::open(directory, store_options(options)));
    const auto bytes = store->snapshot()->metadata(identity_name);
    if (!bytes) {
      return base::Error{base::ErrorKind::NotFound,
                         fmt::format("{} holds quads, but is not the store of a site", directory.string()),
                         {}};
    }
    QUADRILLE_ASSIGN(SiteIdentity identity, decode_identity(*bytes));
    auto site = std::make_unique<LmdbSiteStore>(std::move(store), std::move(identity), parts, options);
    QUADRILLE_TRY(site->check_assignments());
    return std::unique_ptr<SiteStore>(std::move(site));
  });
}

LmdbSiteStore::LmdbSiteStore(std::unique_ptr<store::Store> store, SiteIdentity identity, const SiteParts& parts,
                             const SiteStoreOptions& options)
    : store_(std::move(store)),
      identity_(std::move(identity)),
      parts_(parts),
      tables_{log::open_log_tables(*store_), open_conflict_tables(*store_), open_context_tables(*store_),
              store_->open_table(assignments_table), store_->open_table(members_table)},
      memory_{identity_,
              parts.policies,
              parts.wall_clock,
              log::HybridClock(parts.wall_clock,
                               log::read_log_state(store_->snapshot()->tables(), tables_.log.state).clock_floor),
              AssignmentHistory(parts.policies),
              false,
              membership(),
              false,
              0,
              {},
              false,
              false,
              {},
              {},
              find_conflicts_graph(*store_),
              options.large_changeset_min,
              options.conflict_bounds,
              {}} {
  read_assignments(store_->snapshot()->tables(), tables_.assignments, memory_.assignments);
  remove_staged();
}

// What a crash left of changesets that were being written aside.
void LmdbSiteStore::remove_staged() {
  const auto is_left = [](const log::BulkState& bulk) {
    return bulk.stage == log::BulkStage::Staged || bulk.stage == log::BulkStage::Trimmed;
  };
  const auto is_any_left = [&] {
    const auto bulks = log::read_log_state(store_->snapshot()->tables(), tables_.log.state).bulks;
    return std::any_of(bulks.begin(), bulks.end(), is_left);
  };
  while (is_any_left()) {
    if (const auto step = sweep(*store_->begin()); !step.ok()) throw base::StorageError(step.error());
  }
}

std::unique_ptr<SiteSnapshot> LmdbSiteStore::snapshot(size_t readers) const {
  return std::make_unique<LmdbSiteSnapshot>(*store_, tables_, memory_.conflicts_graph, readers);
}

base::Result<std::unique_ptr<QuadsAtCut>> LmdbSiteStore::quads_at(const log::VersionVector& cut,
                                                                  size_t cells_max) const {
  auto snapshot = std::make_unique<LmdbSiteSnapshot>(*store_, tables_, memory_.conflicts_graph);
  QUADRILLE_ASSIGN(auto quads, LmdbQuadsAtCut::make(std::move(snapshot), tables_, parts_.policies,
                                                    memory_.conflicts_graph, cut, cells_max));
  return std::unique_ptr<QuadsAtCut>(std::move(quads));
}

base::Result<std::unique_ptr<WriteGroup>> LmdbSiteStore::begin() {
  QUADRILLE_CHECK(!has_group_, "a second group of writes at the same time");
  if (stopped_) return *stopped_;
  return base::catch_storage_error([&]() -> base::Result<std::unique_ptr<WriteGroup>> {
    return std::unique_ptr<WriteGroup>(std::make_unique<LmdbWriteGroup>(*this));
  });
}

base::Result<bool> LmdbSiteStore::compact(uint64_t row_limit) {
  QUADRILLE_CHECK(!has_group_, "the store is compacted within a group of writes");
  if (stopped_) return *stopped_;
  auto has_more = base::catch_storage_error([&]() -> base::Result<bool> {
    const auto transaction = store_->begin();
    if (!transaction->wants_compaction()) {
      if (transaction->tables().row_count(tables_.conflicts.unpublished) > 0) return publish(*transaction);
      return sweep(*transaction);
    }
    const bool is_unfinished = transaction->compact(row_limit);
    const bool has_bulks = transaction->tables().row_count(tables_.log.state.bulks) > 0;
    QUADRILLE_TRY(transaction->commit());
    return is_unfinished || has_bulks;  // the next step looks whether something of them is to be removed
  });
  if (!has_more.ok()) note_failure(has_more.error());
  return has_more;
}

// A step of removing what large changesets have no more use for. True: there is more of it.
base::Result<bool> LmdbSiteStore::sweep(store::Transaction& transaction) {
  constexpr uint64_t rows_per_step = 1'000;
  if (transaction.tables().row_count(tables_.log.state.bulks) == 0) return false;
  const log::LogState stored = log::read_log_state(transaction.tables(), tables_.log.state);
  log::LogState state = stored;
  log::BulkTableWriter bulks(transaction.tables(), tables_.log.bulk);
  const bool is_done = bulks.sweep(state, memory_.bulks_in_use(state), rows_per_step);
  if (is_done && state.bulks == stored.bulks) return false;
  log::write_log_state(transaction.tables(), tables_.log.state, stored, state);
  QUADRILLE_TRY(transaction.commit());
  return !is_done;
}

// A step of showing conflict records in their graph.
base::Result<bool> LmdbSiteStore::publish(store::Transaction& transaction) {
  constexpr size_t records_per_step = 250;
  const log::LogState state = log::read_log_state(transaction.tables(), tables_.log.state);
  ConflictPublisher(transaction, tables_.conflicts, state).publish(records_per_step);
  QUADRILLE_TRY(transaction.commit());
  return true;
}

Membership LmdbSiteStore::membership() const {
  return {identity_.members, read_membership(store_->snapshot()->tables(), tables_.members)};
}

log::ChangesetHash LmdbSiteStore::assignment_digest() const { return assignment_digests().rbegin()->second; }

std::map<log::AssignmentNumber, log::ChangesetHash> LmdbSiteStore::assignment_digests() const {
  std::map<log::AssignmentNumber, log::ChangesetHash> digests;
  for (const StoredAssignment& stored : read_assignments(store_->snapshot()->tables(), tables_.assignments)) {
    digests.emplace(stored.number, stored.assignment.digest(parts_.policies));
  }
  return digests;
}

// All that still count name policies that this site has.
base::Result<void> LmdbSiteStore::check_assignments() const {
  for (const StoredAssignment& stored : read_assignments(store_->snapshot()->tables(), tables_.assignments)) {
    if (const auto checked = stored.assignment.check(parts_.policies); !checked.ok()) {
      return base::Error{checked.error().kind,
                         fmt::format("policy assignment {}: {}", to_string(stored.number), checked.error().message),
                         {}};
    }
  }
  return {};
}

std::unique_ptr<StagedChangeset> LmdbSiteStore::stage(log::ShippedChangeset changeset) {
  return std::make_unique<LmdbStagedChangeset>(std::move(changeset), tables_, memory_);
}

base::Result<std::unique_ptr<StagedLoad>> LmdbSiteStore::stage_load(load::StoreWriter& writer) {
  auto staged = std::make_unique<LmdbStagedLoad>(*store_, tables_, memory_, parts_.policies);
  QUADRILLE_TRY(staged->begin(writer));
  return std::unique_ptr<StagedLoad>(std::move(staged));
}

base::Result<void> LmdbSiteStore::write_copy(base::TemporaryFile& file) const {
  return base::catch_storage_error([&]() -> base::Result<void> {
    store_->write_copy(file);
    return {};
  });
}

void LmdbSiteStore::note_failure(const base::Error& error) {
  if (error.kind != base::ErrorKind::Corruption || stopped_) return;
  stopped_ = error;
  stopped_->message = "writing has stopped: " + error.message;
}

std::vector<std::string> LmdbSiteStore::verify() const {
  return verify_site(*store_, tables_, parts_.policies, memory_.conflicts_graph);
}

}  // namespace quadrille::reconcile
