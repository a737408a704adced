#include "reconcile/conflict_table.h"

#include <xxhash.h>

#include <algorithm>
#include <tuple>

#include "engine/store/key.h"
#include "log/bytes.h"
#include "log/history_window.h"

namespace quadrille::reconcile {
namespace {

constexpr char of_provisional = 0;
constexpr char of_final = 1;
constexpr uint64_t dropped_at_a_time = 1'000;

// Times before 1970 would sort wrong without this; a clock that stands there is wrong, but must do no harm.
uint64_t sortable(int64_t physical_ms) {
  return static_cast<uint64_t>(physical_ms) ^ uint64_t { 1 } << 63;
}

std::string final_key(std::string_view cell_key, const StoredConflict& record) {
  std::string key;
  store::append_big_endian(key, sortable(record.time.physical_ms));
  store::append_big_endian(key, record.time.counter);
  key += cell_key;
  std::string candidates;
  log::ByteWriter writer(candidates);
  for (const StoredCandidate& candidate : record.candidates) {
    writer.varint(candidate.origin);
    writer.varint(candidate.seq);
  }
  store::append_big_endian(key, XXH3_64bits(candidates.data(), candidates.size()));
  return key;
}

}  // namespace

ConflictTables open_conflict_tables(store::Store& store) {
  return {store.open_table("reconcile.provisional"), store.open_table("reconcile.final"),
          store.open_table("reconcile.unpublished"), store.open_table("reconcile.published")};
}

std::vector<ConflictRecord> read_conflicts(const store::ReadTransaction& transaction, const ConflictTables& tables,
                                           const model::QuadSource& terms, const log::LogState& state) {
  std::vector<ConflictRecord> records;
  for (const store::Table* table : {&tables.provisional, &tables.final_ones}) {
    store::Cursor cursor(transaction, *table);
    for (bool has_row = cursor.first(); has_row; has_row = cursor.next()) {
      for (const StoredConflict& conflict : decode_conflicts(cursor.value())) {
        records.push_back(to_record(conflict, terms, state));
      }
    }
  }
  std::sort(records.begin(), records.end(), [](const ConflictRecord& left, const ConflictRecord& right) {
    return std::tie(left.time, left.id) < std::tie(right.time, right.id);
  });
  return records;
}

void ConflictTableWriter::set_provisional(std::string_view cell_key, const std::vector<StoredConflict>& records) {
  if (!records.empty()) return put(tables_.provisional, of_provisional, cell_key, encode(records));
  if (transaction_.contains(tables_.provisional, cell_key)) erase(tables_.provisional, of_provisional, cell_key);
}

void ConflictTableWriter::finish(std::string_view cell_key, StoredConflict record) {
  if (const auto row = transaction_.get(tables_.provisional, cell_key)) {
    std::vector<StoredConflict> open = decode_conflicts(*row);
    std::erase_if(open, [&](const StoredConflict& one) { return one.has_same_candidates(record); });
    set_provisional(cell_key, open);
  }
  record.is_provisional = false;
  put(tables_.final_ones, of_final, final_key(cell_key, record), encode({record}));
}

void ConflictTableWriter::drop_oldest(const ConflictBounds& bounds, int64_t now_ms) {
  uint64_t count = transaction_.row_count(tables_.final_ones);
  std::vector<std::string> oldest;
  {
    store::Cursor cursor(transaction_, tables_.final_ones);
    for (bool has_row = cursor.first(); has_row && oldest.size() < dropped_at_a_time;
         has_row = cursor.next(), --count) {
      const bool is_old = store::big_endian_at(cursor.key(), 0) < sortable(now_ms - bounds.age_ms_max);
      if (!is_old && count <= bounds.count_max) break;
      oldest.emplace_back(cursor.key());
    }
  }
  for (const std::string& key : oldest) erase(tables_.final_ones, of_final, key);
}

void ConflictTableWriter::put(const store::Table& table, char kind, std::string_view key, std::string_view row) {
  transaction_.put(table, key, row);
  mark(kind, key);
}

void ConflictTableWriter::erase(const store::Table& table, char kind, std::string_view key) {
  transaction_.erase(table, key);
  mark(kind, key);
}

void ConflictTableWriter::mark(char kind, std::string_view key) {
  std::string marked(1, kind);
  marked += key;
  transaction_.put(tables_.unpublished, marked, {});
}

}  // namespace quadrille::reconcile
