#include <utility>

#include "engine/store/store.h"
#include "engine/store/term_fold.h"

namespace quadrille::store {

using model::Quad;
using model::QuadOrder;
using model::Term;
using model::TermId;

namespace {

// Names of users of the store are set apart from the store's own.
std::string named_key(std::string_view name) { return "user." + std::string(name); }

std::optional<std::string> read_metadata(const ReadTransaction& transaction, const Table& table,
                                         std::string_view name) {
  const auto value = transaction.get(table, named_key(name));
  return value ? std::optional<std::string>(*value) : std::nullopt;
}

}  // namespace

Snapshot::Snapshot(const Store& store)
    : store_(store),
      reading_(store.environment_),
      dictionary_(reading_, store.format().dictionary, store.term_cache(), store.term_hash()) {}

std::unique_ptr<model::QuadScan> Snapshot::scan(QuadOrder order, std::span<const TermId> prefix,
                                                model::ColumnSet wanted) const {
  return scan_quads(reading_, store_.format().quads.of(order), order, prefix, wanted, nullptr);
}

uint64_t Snapshot::estimate_count(QuadOrder order, std::span<const TermId> prefix) const {
  return estimate_quads(reading_, store_.format().quads, statistics(), order, prefix);
}

bool Snapshot::contains(const Quad& quad) const { return contains_quad(reading_, store_.format().quads, quad); }
std::optional<TermId> Snapshot::find_term(const Term& term) const { return dictionary_.find(term); }
Term Snapshot::get_term(TermId id) const { return dictionary_.get(id); }
uint64_t Snapshot::quad_count() const { return statistics().quads(); }
std::optional<std::string> Snapshot::metadata(std::string_view name) const {
  return read_metadata(reading_, store_.format().metadata, name);
}

Statistics Snapshot::statistics() const { return Statistics(reading_, store_.format().statistics); }

PreparedTerms Snapshot::prepare_terms(const TermBatch& batch) const {
  return store::prepare_terms(reading_, store_.format().dictionary, store_.term_cache(), batch, next_term());
}
uint64_t Snapshot::next_term() const { return store_.saved_next_term(reading_); }

Transaction::Transaction(Store& store)
    : store_(store),
      writing_(store.environment_),
      dictionary_(writing_, format().dictionary, store.term_cache(), store.term_hash(), store.next_term_) {}

Transaction::Transaction(Store& store, WriteTransaction& parent)
    : store_(store),
      writing_(parent),
      dictionary_(writing_, format().dictionary, store.term_cache(), store.term_hash(), store.next_term_) {}

Transaction::Transaction(Transaction& parent)
    : store_(parent.store_),
      parent_(&parent),
      writing_(parent.writing_),
      dictionary_(writing_, format().dictionary, store_.term_cache(), store_.term_hash(), store_.next_term_),
      change_(parent.change_),
      generation_(parent.generation_) {}

std::unique_ptr<model::QuadScan> Transaction::scan(QuadOrder order, std::span<const TermId> prefix,
                                                   model::ColumnSet wanted) const {
  return scan_quads(writing_, format().quads.of(order), order, prefix, wanted, &generation_);
}

uint64_t Transaction::estimate_count(QuadOrder order, std::span<const TermId> prefix) const {
  return estimate_quads(writing_, format().quads, statistics(), order, prefix);
}

bool Transaction::contains(const Quad& quad) const { return contains_quad(writing_, format().quads, quad); }
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
  if (!insert_quad(writing_, format().quads, quad)) return false;
  note_change(quad, 1);
  return true;
}

bool Transaction::erase(const Quad& quad) {
  if (!erase_quad(writing_, format().quads, quad)) return false;
  note_change(quad, -1);
  return true;
}

uint64_t Transaction::insert_all(std::vector<Quad> quads) {
  const std::vector<Quad> added = insert_quads(writing_, format().quads, std::move(quads));
  for (const Quad& quad : added) note_change(quad, 1);
  return added.size();
}

uint64_t Transaction::quad_count() const { return statistics().quads(); }

std::optional<std::string> Transaction::metadata(std::string_view name) const {
  return read_metadata(writing_, format().metadata, name);
}

void Transaction::set_metadata(std::string_view name, std::string_view value) {
  writing_.put(format().metadata, named_key(name), value);
}

base::Result<void> Transaction::commit() {
  auto result = base::catch_storage_error([&]() -> base::Result<void> {
    if (parent_) {
      writing_.commit();
      parent_->change_ = std::move(change_);
      parent_->generation_ = generation_;
      return {};
    }
    write_statistics(writing_, format().statistics, change_);
    store_.save_next_term(writing_);
    writing_.commit();
    return {};
  });
  if (!result.ok()) writing_.abort();
  return result;
}

const StoreTables& Transaction::format() const noexcept { return store_.format(); }
Statistics Transaction::statistics() const { return Statistics(writing_, format().statistics, &change_); }

void Transaction::note_change(const Quad& quad, int64_t change) {
  change_.add(quad, change);
  ++generation_;
}

}  // namespace quadrille::store
