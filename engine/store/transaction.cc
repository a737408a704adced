#include <algorithm>
#include <utility>

#include "engine/store/checked_value.h"
#include "engine/store/estimate.h"
#include "engine/store/quad_scan.h"
#include "engine/store/store.h"
#include "engine/store/term_fold.h"

namespace quadrille::store {

using model::Quad;
using model::QuadOrder;
using model::Term;
using model::TermId;

namespace {

// A delta is folded from so many rows on; in large stores when it has one for so many quads, so that some of its rows
// meet in each block that is rewritten.
constexpr uint64_t fold_rows_min = 4096;
constexpr uint64_t fold_quads_per_row = 256;

// Names of users of the store are set apart from the store's own.
std::string named_key(std::string_view name) { return "user." + std::string(name); }

std::optional<std::string> read_metadata(const ReadTransaction& transaction, const Table& table,
                                         std::string_view name) {
  const auto value = get_checked(transaction, table, named_key(name));
  return value ? std::optional<std::string>(*value) : std::nullopt;
}

std::unique_ptr<ReadTransaction> take_last(std::vector<std::unique_ptr<ReadTransaction>>& views) {
  auto last = std::move(views.back());
  views.pop_back();
  return last;
}

}  // namespace

Snapshot::Snapshot(const Store& store, size_t readers) : Snapshot(store, open_views(store.environment_, readers)) {}

Snapshot::Snapshot(const Store& store, Views views)
    : store_(store),
      views_(std::move(views)),
      reading_(take_last(views_)),
      dictionary_(*reading_, store.format().dictionary, store.term_cache(), store.term_hash()),
      runs_(read_runs(*reading_, store.format().metadata)) {}

Snapshot::~Snapshot() = default;

// A commit may come between two of them: then all are opened again. Where commits come one upon the other, at last
// only one is.
Snapshot::Views Snapshot::open_views(const Environment& environment, size_t count) {
  constexpr int attempts = 8;
  for (int attempt = 0; count > 1 && attempt < attempts; ++attempt) {
    Views views;
    for (size_t i = 0; i < count; ++i) views.push_back(std::make_unique<ReadTransaction>(environment));
    if (views.front()->state() == views.back()->state()) return views;
  }
  Views views;
  views.push_back(std::make_unique<ReadTransaction>(environment));
  return views;
}

std::unique_ptr<model::QuadSource> Snapshot::make_twin() const {
  if (views_.empty()) return nullptr;
  Views views;
  views.push_back(take_last(views_));
  return std::unique_ptr<Snapshot>(new Snapshot(store_, std::move(views)));
}

std::unique_ptr<model::QuadScan> Snapshot::scan(QuadOrder order, std::span<const TermId> prefix,
                                                model::ColumnSet wanted) const {
  return scan_quads(quads(), order, prefix, wanted);
}

uint64_t Snapshot::estimate_count(QuadOrder order, std::span<const TermId> prefix) const {
  return estimate_quads(quads(), statistics(), order, prefix);
}

bool Snapshot::contains(const Quad& quad) const { return contains_quad(quads(), quad); }
std::optional<TermId> Snapshot::find_term(const Term& term) const { return dictionary_.find(term); }
Term Snapshot::get_term(TermId id) const { return dictionary_.get(id); }
uint64_t Snapshot::quad_count() const { return statistics().all().quads; }
QuadTotals Snapshot::totals() const { return statistics().all(); }
QuadTotals Snapshot::totals_of_graph(TermId graph) const { return statistics().of_graph(graph); }
uint64_t Snapshot::statistics_rows() const { return reading_->row_count(store_.format().statistics); }
std::map<TermId, uint64_t> Snapshot::counts_by_predicate() const {
  return store::counts_by_predicate(*reading_, store_.format().statistics);
}
std::map<TermId, QuadTotals> Snapshot::totals_by_graph() const {
  return store::totals_by_graph(*reading_, store_.format().statistics);
}
std::optional<std::string> Snapshot::metadata(std::string_view name) const {
  return read_metadata(*reading_, store_.format().metadata, name);
}

QuadView Snapshot::quads() const { return {*reading_, store_.format().quads, runs_, &blocks_, nullptr}; }
Statistics Snapshot::statistics() const { return Statistics(*reading_, store_.format().statistics); }

PreparedTerms Snapshot::prepare_terms(const TermBatch& batch) const {
  return store::prepare_terms(*reading_, store_.format().dictionary, store_.term_cache(), batch, next_term());
}
uint64_t Snapshot::next_term() const { return store_.saved_next_term(*reading_); }

Transaction::Transaction(Store& store)
    : store_(store),
      writing_(store.environment_),
      dictionary_(writing_, format().dictionary, store.term_cache(), store.term_hash(), store.term_hashes_,
                  store.next_term_),
      runs_(read_runs(writing_, store.format().metadata)),
      changes_(store.changes_to_keep()) {}

Transaction::Transaction(Store& store, WriteTransaction& parent)
    : store_(store),
      writing_(parent),
      dictionary_(writing_, format().dictionary, store.term_cache(), store.term_hash(), store.term_hashes_,
                  store.next_term_),
      changes_(0) {}

Transaction::Transaction(Transaction& parent)
    : store_(parent.store_),
      parent_(&parent),
      writing_(parent.writing_),
      dictionary_(writing_, format().dictionary, store_.term_cache(), store_.term_hash(), store_.term_hashes_,
                  store_.next_term_),
      runs_(parent.runs_),
      change_(parent.change_),
      changes_(store_.changes_to_keep()),
      generation_(parent.generation_) {}

std::unique_ptr<model::QuadScan> Transaction::scan(QuadOrder order, std::span<const TermId> prefix,
                                                   model::ColumnSet wanted) const {
  return scan_quads(quads(), order, prefix, wanted);
}

uint64_t Transaction::estimate_count(QuadOrder order, std::span<const TermId> prefix) const {
  return estimate_quads(quads(), statistics(), order, prefix);
}

bool Transaction::contains(const Quad& quad) const { return contains_quad(quads(), quad); }
std::optional<TermId> Transaction::find_term(const Term& term) const { return dictionary_.find(term); }
Term Transaction::get_term(TermId id) const { return dictionary_.get(id); }
TermId Transaction::intern(const Term& term) { return dictionary_.intern(term); }
std::vector<TermId> Transaction::intern_all(std::span<const Term> terms) { return dictionary_.intern_all(terms); }

std::vector<TermId> Transaction::intern_prepared(const PreparedTerms& prepared) {
  return dictionary_.intern_prepared(prepared);
}

bool Transaction::fold_terms() {
  return store::fold_terms(writing_, format().dictionary, store_.term_cache(), store_.next_term_);
}

bool Transaction::wants_term_fold() const {
  return store::wants_term_fold(writing_, format().dictionary, store_.next_term_);
}

bool Transaction::insert(const Quad& quad) {
  if (!insert_quad(writing_, format().quads, runs_, quad)) return false;
  note_change(quad, 1);
  return true;
}

bool Transaction::erase(const Quad& quad) {
  if (!erase_quad(writing_, format().quads, runs_, quad)) return false;
  note_change(quad, -1);
  return true;
}

uint64_t Transaction::insert_all(std::vector<Quad> quads) {
  const std::vector<Quad> added = insert_quads(writing_, format().quads, runs_, std::move(quads));
  for (const Quad& quad : added) note_change(quad, 1);
  return added.size();
}

RunNumber Transaction::start_run() {
  const RunNumber run = runs_.next_number++;
  write_runs(writing_, format().metadata, runs_);
  return run;
}

void Transaction::append_run(RunNumber run, QuadOrder order, std::span<const EncodedBlock> blocks) {
  QUADRILLE_CHECK(run < runs_.next_number && !runs_.has(run), "blocks are appended to a run that is being built");
  Cursor cursor(writing_, format().quads.blocks_of(order));
  for (const EncodedBlock& block : blocks) {
    const BlockKey key(run, std::string_view(block.key.data(), block.key.size()));
    cursor.put_ascending(key.view(), block.value);
  }
}

void Transaction::activate_run(RunNumber run, const StatisticsChange& change) {
  QUADRILLE_CHECK(run < runs_.next_number && !runs_.has(run), "a run is switched in once");
  const ActiveRun active{run, ++runs_.activation, static_cast<uint64_t>(change.all.quads)};
  const auto built = runs_with_blocks(writing_, format().quads);
  if (runs_.active.size() == 1 && !std::binary_search(built.begin(), built.end(), runs_.base().number)) {
    runs_.active.front() = active;  // there is nothing that it would have to be merged with
  } else {
    runs_.active.push_back(active);
  }
  write_runs(writing_, format().metadata, runs_);
  change_.add(change);
  changes_.add_too_many();
  ++generation_;
}

bool Transaction::drop_run(RunNumber run, uint64_t row_limit) {
  QUADRILLE_CHECK(!runs_.has(run), "a run is given up that is part of the quads");
  ++generation_;
  return remove_run(writing_, format().quads, run, row_limit);
}

FoldProgress Transaction::fold_delta(uint64_t row_limit) {
  FoldProgress progress;
  progress.rows_written = store::fold_delta(writing_, format().quads, runs_, store_.fold_place_, row_limit);
  progress.delta_rows_left = delta_rows();
  store_.is_folding_ = progress.delta_rows_left > 0;
  ++generation_;
  return progress;
}

bool Transaction::wants_merge() const {
  RunList runs = runs_;
  return choose_merge(runs, quad_count());
}

bool Transaction::merge_runs(uint64_t row_limit) {
  if (!choose_merge(runs_, quad_count())) return false;
  store::merge_runs(writing_, format().quads, runs_, row_limit);
  write_runs(writing_, format().metadata, runs_);
  ++generation_;
  return wants_merge();
}

uint64_t Transaction::delta_rows() const {
  uint64_t rows = 0;
  for (const Table& table : format().quads.deltas) rows = std::max(rows, writing_.row_count(table));
  return rows;
}

bool Transaction::wants_fold() const {
  const uint64_t rows = delta_rows();
  const uint64_t enough = std::max(fold_rows_min, quad_count() / fold_quads_per_row);
  return store_.is_folding_ ? rows > 0 : rows >= enough;
}

bool Transaction::compact(uint64_t row_limit) {
  // Terms and quads take turns: while terms keep coming, as in a long load, the delta must not grow without end.
  const bool terms_turn = !store_.terms_had_turn_ || !(wants_fold() || wants_merge());
  store_.terms_had_turn_ = false;
  if (terms_turn && wants_term_fold()) {
    fold_terms();
    store_.terms_had_turn_ = true;
  } else if (wants_fold()) {
    const uint64_t rows = fold_delta(row_limit).rows_written;
    if (rows < row_limit && wants_merge()) merge_runs(row_limit - rows);
  } else if (wants_merge()) {
    merge_runs(row_limit);
  }
  return wants_compaction();
}

QuadHasher Transaction::hasher(const TermHashFile* known) const { return {*this, store_.term_hashes_, known}; }
uint64_t Transaction::next_term() const { return store_.next_term_; }
QuadTotals Transaction::totals() const { return statistics().all(); }
uint64_t Transaction::quad_count() const { return totals().quads; }

std::optional<std::string> Transaction::metadata(std::string_view name) const {
  return read_metadata(writing_, format().metadata, name);
}

void Transaction::set_metadata(std::string_view name, std::string_view value) {
  put_checked(writing_, format().metadata, named_key(name), value);
}

base::Result<void> Transaction::commit() {
  auto result = base::catch_storage_error([&]() -> base::Result<void> {
    if (parent_) {
      writing_.commit();
      parent_->change_ = std::move(change_);
      parent_->changes_.add(changes_);
      parent_->runs_ = std::move(runs_);
      parent_->generation_ = generation_;
      return {};
    }
    write_statistics(writing_, format().statistics, change_);
    store_.save_next_term(writing_);
    writing_.commit();
    store_.tell_watches(changes_);
    return {};
  });
  if (!result.ok()) writing_.abort();
  return result;
}

const StoreTables& Transaction::format() const noexcept { return store_.format(); }
QuadView Transaction::quads() const { return {writing_, format().quads, runs_, nullptr, &generation_}; }
Statistics Transaction::statistics() const { return Statistics(writing_, format().statistics, &change_); }

void Transaction::note_change(const Quad& quad, int64_t change) {
  change_.add(quad, change, hasher().hash(quad));
  changes_.add(quad, change > 0);
  ++generation_;
}

void Transaction::add_changes_to(ChangeList& list) const {
  for (const Transaction* transaction = this; transaction != nullptr; transaction = transaction->parent_) {
    list.add(transaction->changes_);
  }
}

}  // namespace quadrille::store
