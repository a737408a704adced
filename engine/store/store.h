// The quads of one site: a directory with one LMDB file, its committed states (Snapshot) and its writer (Transaction).
//
// Other rooms keep tables of their own in the same file: they open them when the store is opened (Store::open_table)
// and reach them through Snapshot::tables() and Transaction::tables(), so that quads and log commit together.
//
// Threads: any number of snapshots, on any threads; one Transaction at a time, begun and ended by one thread (the
// caller serialises, a second one is a bug). Readers never wait.
//
// Errors: Store::create, Store::open and Transaction::commit return a Result. Everything else throws
// base::StorageError when the file fails or the disk is full; the room that owns the operation catches it at its door
// (base::catch_storage_error), drops the transaction, and the store goes on.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/temporary_file.h"
#include "engine/model/quad_source.h"
#include "engine/store/change_watch.h"
#include "engine/store/dictionary.h"
#include "engine/store/directory_lock.h"
#include "engine/store/environment.h"
#include "engine/store/fold.h"
#include "engine/store/quad_table.h"
#include "engine/store/run.h"
#include "engine/store/statistics.h"
#include "engine/store/term_batch.h"
#include "engine/store/term_cache.h"

namespace quadrille::store {

struct StoreOptions {
  EnvironmentOptions environment;
  // How the dictionary finds terms; another one only in tests, to make collisions. The same at each opening.
  TermHash term_hash = &hash_term;
  size_t term_cache_bytes = 32 << 20;  // memory for terms that were decompressed lately
};

// The tables of the storage format.
struct StoreTables {
  Table metadata;  // name -> bytes
  DictionaryTables dictionary;
  QuadTables quads;
  Table statistics;
};

class Store;

// One committed state; stays as it is until it is dropped. Belongs to one thread at a time. Must not outlive the store.
class Snapshot final : public model::QuadSource {
 public:
  // `readers`: how many threads may read this one state, each by a twin, if there is reason to.
  explicit Snapshot(const Store& store, size_t readers = 1);
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  ~Snapshot() override;

  std::unique_ptr<model::QuadScan> scan(model::QuadOrder order, std::span<const model::TermId> prefix,
                                        model::ColumnSet wanted) const override;
  uint64_t estimate_count(model::QuadOrder order, std::span<const model::TermId> prefix) const override;
  bool contains(const model::Quad& quad) const override;
  std::optional<model::TermId> find_term(const model::Term& term) const override;
  model::Term get_term(model::TermId id) const override;
  // One for each reader beyond the first. Callable from one thread at a time, as all else.
  std::unique_ptr<model::QuadSource> make_twin() const override;
  uint64_t blocks_read() const override { return blocks_.blocks_read(); }

  // The part of interning many terms that takes time, for Transaction::intern_prepared: see term_batch.h.
  PreparedTerms prepare_terms(const TermBatch& batch) const;

  uint64_t quad_count() const;
  // As they are kept with each commit, not by a look at the quads.
  QuadTotals totals() const;
  QuadTotals totals_of_graph(model::TermId graph) const;
  std::map<model::TermId, QuadTotals> totals_by_graph() const;
  std::map<model::TermId, uint64_t> counts_by_predicate() const;
  uint64_t statistics_rows() const;  // graphs and predicates together, and one
  uint64_t next_term() const;        // the number that the next new term was to get
  std::optional<std::string> metadata(std::string_view name) const;
  // For the tables of other rooms.
  const ReadTransaction& tables() const noexcept { return *reading_; }
  const Store& store() const noexcept { return store_; }

 private:
  using Views = std::vector<std::unique_ptr<ReadTransaction>>;  // of one state
  Snapshot(const Store& store, Views views);
  static Views open_views(const Environment& environment, size_t count);
  QuadView quads() const;
  Statistics statistics() const;

  const Store& store_;
  mutable Views views_;  // for twins
  std::unique_ptr<const ReadTransaction> reading_;
  mutable Dictionary dictionary_;
  RunList runs_;
  mutable BlockCache blocks_;
};

struct FoldProgress {
  uint64_t rows_written = 0;     // of blocks, in all orders together
  uint64_t delta_rows_left = 0;  // of the order that has most of them
};

// The writer. Sees its own writes. Without a commit it never was. A scan of it that is open across a write goes on
// at the row that it would have given next, or the first one after it.
class Transaction final : public model::QuadTarget {
 public:
  explicit Transaction(Store& store);
  // A child: one request of a group. Rolled back alone when dropped, part of its parent once committed. While it lives
  // the parent must not be used.
  explicit Transaction(Transaction& parent);

  std::unique_ptr<model::QuadScan> scan(model::QuadOrder order, std::span<const model::TermId> prefix,
                                        model::ColumnSet wanted) const override;
  uint64_t estimate_count(model::QuadOrder order, std::span<const model::TermId> prefix) const override;
  bool contains(const model::Quad& quad) const override;
  std::optional<model::TermId> find_term(const model::Term& term) const override;
  model::Term get_term(model::TermId id) const override;

  // An id once given by this process is never given to another term, not even after a rollback.
  model::TermId intern(const model::Term& term) override;
  bool insert(const model::Quad& quad) override;
  bool erase(const model::Quad& quad) override;

  // For loads and received changesets: as intern and insert one by one, but sorted first, and much faster.
  std::vector<model::TermId> intern_all(std::span<const model::Term> terms);
  // The second half of interning a batch that Snapshot::prepare_terms prepared: ids in the order of its rows.
  std::vector<model::TermId> intern_prepared(const PreparedTerms& prepared);
  uint64_t insert_all(std::vector<model::Quad> quads);  // how many were new

  // New terms stand as they are for a while. A step of their fold into compressed blocks: some milliseconds. No term
  // comes or goes. False: there was nothing to do.
  bool fold_terms();
  // Whether enough terms are new that a step pays.
  bool wants_term_fold() const;
  // For what is too large for one transaction: a run of quads (run.h) that no reader sees, built in short commits, and
  // then switched in. What is left of a run after a crash is removed when the store is opened.
  RunNumber start_run();
  // Each order's blocks ascending, also from call to call.
  void append_run(RunNumber run, model::QuadOrder order, std::span<const EncodedBlock> blocks);
  // All orders are complete. Requires that none of its quads is in the store as this transaction sees it. `change`:
  // what the run adds to the counts.
  void activate_run(RunNumber run, const StatisticsChange& change);
  // Gives it up, by about `row_limit` rows of blocks. True: nothing of it is left.
  bool drop_run(RunNumber run, uint64_t row_limit);

  // Small writes stand in a delta, loads in runs; both cost room and time in scans. A step of bringing them together:
  // no quad comes or goes, and about `row_limit` rows of blocks are written (a million a second); or a step of the fold
  // of terms. False: nothing is left to do for now; a trickle of writes must not rewrite a block for each quad, nor a
  // small load all of the store.
  bool compact(uint64_t row_limit);
  bool wants_compaction() const { return wants_term_fold() || wants_fold() || wants_merge(); }
  // Its parts, whether they pay or not: a step of the fold of the delta, and one of the merge of runs (false: none is
  // to be done).
  FoldProgress fold_delta(uint64_t row_limit);
  bool merge_runs(uint64_t row_limit);
  uint64_t delta_rows() const;  // of the order that has most of them
  // True when so much has come into the delta that its fold pays, and from then on until it is empty.
  bool wants_fold() const;
  bool wants_merge() const;

  // Adds what came and went so far in this transaction and in those that it is part of: a watch learns of that only
  // when it is committed.
  void add_changes_to(ChangeList& list) const;

  // For what becomes a StatisticsChange. Must not outlive the transaction.
  QuadHasher hasher(const TermHashFile* known = nullptr) const;
  // Puts right what is kept of the quads' number and digests, where those were written behind its back.
  void correct_statistics(const StatisticsChange& change) { change_.add(change); }
  uint64_t next_term() const;  // the number that the next new term gets
  QuadTotals totals() const;

  uint64_t quad_count() const;
  std::optional<std::string> metadata(std::string_view name) const;
  void set_metadata(std::string_view name, std::string_view value);
  // For the tables of other rooms.
  WriteTransaction& tables() noexcept { return writing_; }
  const WriteTransaction& tables() const noexcept { return writing_; }
  const Store& store() const noexcept { return store_; }

  // Durable when it returns well (a child: part of its parent). After an error nothing of it is there. To be called
  // once, and nothing after it.
  base::Result<void> commit();

 private:
  friend class Store;
  Transaction(Store& store, WriteTransaction& parent);  // the filling of a new store
  const StoreTables& format() const noexcept;
  QuadView quads() const;
  Statistics statistics() const;
  void note_change(const model::Quad& quad, int64_t change);

  Store& store_;
  Transaction* parent_ = nullptr;
  WriteTransaction writing_;
  mutable DictionaryWriter dictionary_;
  RunList runs_;
  StatisticsChange change_;  // since this transaction began; a child's begin with its parent's
  ChangeList changes_;       // since this transaction, or child, began
  uint64_t generation_ = 0;  // counts writes, so that open scans find their place again
};

class Store {
 public:
  // Makes a store in `directory` (which may exist, without a store in it), with what `fill` writes into it as part of
  // the same first commit: a half-made directory is not a store. Refused if there is one already.
  static base::Result<std::unique_ptr<Store>> create(const std::filesystem::path& directory,
                                                     const StoreOptions& options = {},
                                                     const std::function<void(Transaction&)>& fill = {});
  // NotFound: no store there. Mismatch: of another format version. Busy: somebody has it open.
  static base::Result<std::unique_ptr<Store>> open(const std::filesystem::path& directory,
                                                   const StoreOptions& options = {});

  // A table for another room, made if absent. Before work begins: no transaction may be open on this thread.
  // Names begin with the room's: "log.entries". Throws StorageError.
  Table open_table(std::string_view name) { return environment_.open_table(name); }

  std::unique_ptr<Snapshot> snapshot(size_t readers = 1) const { return std::make_unique<Snapshot>(*this, readers); }
  std::unique_ptr<Transaction> begin() { return std::make_unique<Transaction>(*this); }
  // Begin the watch first and take the snapshot then. `limit`: so many changes are kept.
  std::unique_ptr<ChangeWatch> watch_changes(size_t limit) const { return std::make_unique<ChangeWatch>(*this, limit); }

  // All of it as of one commit, as the file of another store. On any thread; as long as the disk takes. Throws
  // StorageError.
  void write_copy(base::TemporaryFile& file) const;

  const std::filesystem::path& directory() const noexcept { return directory_; }
  uint64_t bytes_in_use() const { return environment_.bytes_in_use(); }
  // The tables of the storage format: for this room's own tools.
  const StoreTables& format() const noexcept { return *tables_; }
  TermHash term_hash() const noexcept { return term_hash_; }
  TermCache& term_cache() const noexcept { return *term_cache_; }

 private:
  friend class Snapshot;
  friend class Transaction;
  friend class ChangeWatch;
  Store(std::filesystem::path directory, DirectoryLock lock, const StoreOptions& options);
  void open_tables(WriteTransaction& transaction);
  void save_next_term(WriteTransaction& transaction) const;
  uint64_t saved_next_term(const ReadTransaction& transaction) const;
  base::Result<void> remove_abandoned_runs();
  void add_watch(ChangeWatch& watch) const;
  void remove_watch(ChangeWatch& watch) const;
  void tell_watches(const ChangeList& changes);
  size_t changes_to_keep() const;  // by a transaction
  static base::Result<std::unique_ptr<Store>> try_create(const std::filesystem::path& directory,
                                                         const StoreOptions& options,
                                                         const std::function<void(Transaction&)>& fill);
  static base::Result<std::unique_ptr<Store>> try_open(const std::filesystem::path& directory,
                                                       const StoreOptions& options);

  std::filesystem::path directory_;
  DirectoryLock lock_;  // let go after the environment is closed
  Environment environment_;
  TermHash term_hash_;
  std::unique_ptr<TermCache> term_cache_;
  TermHashCache term_hashes_;  // the writer's
  std::optional<StoreTables> tables_;
  FoldPlace fold_place_;         // the writer's
  bool is_folding_ = false;      // the writer's
  bool terms_had_turn_ = false;  // in the last step of compact(); the writer's
  mutable std::mutex watches_mutex_;
  mutable std::vector<ChangeWatch*> watches_;
  uint64_t next_term_ = 1;  // the writer's; not taken back by a rollback
};

}  // namespace quadrille::store
