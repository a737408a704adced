#include "reconcile/conflict_table.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "engine/store/key.h"
#include "reconcile/conflict_vocabulary.h"

namespace quadrille::reconcile {
namespace {

std::string provisional_key(std::string_view cell_key, const ConflictRecord& record) {
  return std::string(cell_key) + record.id;
}

std::string final_key(const ConflictRecord& record) {
  std::string key;
  // Times before 1970 would sort wrong without this; a clock that stands there is wrong, but must do no harm.
  store::append_big_endian(key, static_cast<uint64_t>(record.time.physical_ms) ^ uint64_t{1} << 63);
  store::append_big_endian(key, record.time.counter);
  return key + record.id;
}

constexpr size_t gathered_max = 50'000;

std::vector<model::Quad> with_ids(store::Transaction& transaction, const std::vector<model::TermQuad>& quads) {
  std::vector<model::Term> terms;
  terms.reserve(quads.size() * 4);
  for (const model::TermQuad& quad : quads) {
    terms.insert(terms.end(), {quad.subject, quad.predicate, quad.object, *quad.graph});
  }
  const std::vector<model::TermId> ids = transaction.intern_all(terms);
  std::vector<model::Quad> result;
  result.reserve(quads.size());
  for (size_t i = 0; i < ids.size(); i += 4) result.push_back({ids[i], ids[i + 1], ids[i + 2], ids[i + 3]});
  return result;
}

}  // namespace

ConflictTables open_conflict_tables(store::Store& store) {
  return {store.open_table("reconcile.provisional"), store.open_table("reconcile.final")};
}

std::vector<ConflictRecord> read_conflicts(const store::ReadTransaction& transaction, const ConflictTables& tables) {
  std::vector<ConflictRecord> records;
  for (const store::Table* table : {&tables.provisional, &tables.final_ones}) {
    store::Cursor cursor(transaction, *table);
    for (bool has_row = cursor.first(); has_row; has_row = cursor.next()) {
      records.push_back(decode_conflict(cursor.value()));
    }
  }
  std::sort(records.begin(), records.end(), [](const ConflictRecord& left, const ConflictRecord& right) {
    return std::tie(left.time, left.id) < std::tie(right.time, right.id);
  });
  return records;
}

void ConflictTableWriter::set_provisional(std::string_view cell_key, const std::vector<ConflictRecord>& records) {
  std::set<std::string> outdated;
  {
    store::Cursor cursor(transaction_.tables(), tables_.provisional);
    for (bool has_row = cursor.seek(cell_key); has_row && cursor.key().starts_with(cell_key); has_row = cursor.next()) {
      outdated.emplace(cursor.key());
    }
  }
  for (const ConflictRecord& record : records) outdated.erase(provisional_key(cell_key, record));
  for (const std::string& key : outdated) change_quads(erase(tables_.provisional, key), std::nullopt);
  for (const ConflictRecord& record : records) {
    change_quads(put(tables_.provisional, provisional_key(cell_key, record), record), record);
  }
}

void ConflictTableWriter::finish(std::string_view cell_key, ConflictRecord record) {
  const auto before = erase(tables_.provisional, provisional_key(cell_key, record));
  record.is_provisional = false;
  put(tables_.final_ones, final_key(record), record);
  change_quads(before, record);
  while (transaction_.tables().row_count(tables_.final_ones) > final_max) drop_oldest();
}

void ConflictTableWriter::drop_oldest() {
  flush();  // it may be one that is new here
  std::string oldest;
  {
    store::Cursor cursor(transaction_.tables(), tables_.final_ones);
    cursor.first();
    oldest = cursor.key();
  }
  change_quads(erase(tables_.final_ones, oldest), std::nullopt);
}

std::optional<ConflictRecord> ConflictTableWriter::put(const store::Table& table, const std::string& key,
                                                       const ConflictRecord& record) {
  std::optional<ConflictRecord> before;
  if (const auto row = transaction_.tables().get(table, key)) before = decode_conflict(*row);
  if (before != record) transaction_.tables().put(table, key, encode(record));
  return before;
}

std::optional<ConflictRecord> ConflictTableWriter::erase(const store::Table& table, const std::string& key) {
  const auto row = transaction_.tables().get(table, key);
  if (!row) return std::nullopt;
  ConflictRecord record = decode_conflict(*row);
  transaction_.tables().erase(table, key);
  return record;
}

void ConflictTableWriter::change_quads(const std::optional<ConflictRecord>& before,
                                       const std::optional<ConflictRecord>& now) {
  if (before == now) return;
  const auto quads_of = [](const std::optional<ConflictRecord>& record) {
    std::vector<model::TermQuad> quads = record ? conflict_quads(*record) : std::vector<model::TermQuad>{};
    std::sort(quads.begin(), quads.end());
    return quads;
  };
  const std::vector<model::TermQuad> old_ones = quads_of(before);
  const std::vector<model::TermQuad> new_ones = quads_of(now);
  std::set_difference(old_ones.begin(), old_ones.end(), new_ones.begin(), new_ones.end(),
                      std::back_inserter(to_erase_));
  std::set_difference(new_ones.begin(), new_ones.end(), old_ones.begin(), old_ones.end(),
                      std::back_inserter(to_insert_));
  if (to_erase_.size() + to_insert_.size() > gathered_max) flush();
}

void ConflictTableWriter::flush() {
  for (const model::Quad& quad : with_ids(transaction_, to_erase_)) transaction_.erase(quad);
  transaction_.insert_all(with_ids(transaction_, to_insert_));
  to_erase_.clear();
  to_insert_.clear();
}

}  // namespace quadrille::reconcile
