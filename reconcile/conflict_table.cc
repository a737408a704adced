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
  for (const std::string& key : outdated) erase(tables_.provisional, key);
  for (const ConflictRecord& record : records) add(tables_.provisional, provisional_key(cell_key, record), record);
}

void ConflictTableWriter::finish(std::string_view cell_key, ConflictRecord record) {
  erase(tables_.provisional, provisional_key(cell_key, record));
  record.is_provisional = false;
  add(tables_.final_ones, final_key(record), record);
  while (transaction_.tables().row_count(tables_.final_ones) > final_max) {
    std::string oldest;
    {
      store::Cursor cursor(transaction_.tables(), tables_.final_ones);
      cursor.first();
      oldest = cursor.key();
    }
    erase(tables_.final_ones, oldest);
  }
}

void ConflictTableWriter::add(const store::Table& table, const std::string& key, const ConflictRecord& record) {
  const std::string row = encode(record);
  if (const auto old = transaction_.tables().get(table, key)) {
    if (*old == row) return;
    change_quads(decode_conflict(*old), false);
  }
  transaction_.tables().put(table, key, row);
  change_quads(record, true);
}

void ConflictTableWriter::erase(const store::Table& table, const std::string& key) {
  const auto row = transaction_.tables().get(table, key);
  if (!row) return;
  const ConflictRecord record = decode_conflict(*row);
  transaction_.tables().erase(table, key);
  change_quads(record, false);
}

void ConflictTableWriter::change_quads(const ConflictRecord& record, bool exist) {
  for (const model::TermQuad& quad : conflict_quads(record)) {
    const model::Quad ids{transaction_.intern(quad.subject), transaction_.intern(quad.predicate),
                          transaction_.intern(quad.object), transaction_.intern(*quad.graph)};
    exist ? transaction_.insert(ids) : transaction_.erase(ids);
  }
}

}  // namespace quadrille::reconcile
