// Where conflict records are kept: in two tables, and as quads of the local graph, changed together.
//
// Tables: "reconcile.provisional": cell key (log/history_window.h) and the record's id (32 bytes) -> record.
// "reconcile.final": time (physical milliseconds and counter, 8 bytes each, big-endian) and id -> record.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/store/store.h"
#include "reconcile/conflict_record.h"

namespace quadrille::reconcile {

struct ConflictTables {
  store::Table provisional;
  store::Table final_ones;
};
ConflictTables open_conflict_tables(store::Store& store);

// By time, then id.
std::vector<ConflictRecord> read_conflicts(const store::ReadTransaction& transaction, const ConflictTables& tables);

// Writes of one transaction. The quads are gathered and written many at a time: flush() before the transaction ends.
class ConflictTableWriter {
 public:
  static constexpr uint64_t final_max = 100'000;  // then the oldest go

  ConflictTableWriter(store::Transaction& transaction, const ConflictTables& tables)
      : transaction_(transaction), tables_(tables) {}

  // What is known now of the cell's open components, in place of what was.
  void set_provisional(std::string_view cell_key, const std::vector<ConflictRecord>& records);
  // The component has been folded: its record is final, and no provisional one of the same id stays.
  void finish(std::string_view cell_key, ConflictRecord record);
  void flush();

 private:
  // A row that is replaced or erased gives back its record.
  std::optional<ConflictRecord> put(const store::Table& table, const std::string& key, const ConflictRecord& record);
  std::optional<ConflictRecord> erase(const store::Table& table, const std::string& key);
  void drop_oldest();
  // Makes the quads of the one those of the other; only what differs is gathered. No quad is gathered to be erased and
  // to be inserted: a record changes at most once between two flushes.
  void change_quads(const std::optional<ConflictRecord>& before, const std::optional<ConflictRecord>& now);

  store::Transaction& transaction_;
  const ConflictTables& tables_;
  std::vector<model::TermQuad> to_erase_;
  std::vector<model::TermQuad> to_insert_;
};

}  // namespace quadrille::reconcile
