// Where conflict records are kept.
//
// Tables, in ids of this store (stored_conflict.h):
//   "reconcile.provisional": cell key (log/history_window.h) -> the records of its open components, in causal order.
//   "reconcile.final":       time (physical milliseconds and counter, 8 bytes each, big-endian), cell key, and a hash
//   of the
//                            candidates (8 bytes) -> the record.
//   "reconcile.unpublished": the byte 0 and a key of the first table, or 1 and one of the second: what was changed
//   since
//                            the local graph was last brought up to date (conflict_publisher.h).
//   "reconcile.published":   the same keys -> the rows that the local graph now shows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/store.h"
#include "reconcile/conflict_bounds.h"
#include "reconcile/stored_conflict.h"

namespace quadrille::reconcile {

struct ConflictTables {
  store::Table provisional;
  store::Table final_ones;
  store::Table unpublished;
  store::Table published;
};
ConflictTables open_conflict_tables(store::Store& store);

// By time, then id.
std::vector<ConflictRecord> read_conflicts(const store::ReadTransaction& transaction, const ConflictTables& tables,
                                           const model::QuadSource& terms, const log::LogState& state);

// Writes of one transaction.
class ConflictTableWriter {
 public:
  ConflictTableWriter(store::WriteTransaction& transaction, const ConflictTables& tables)
      : transaction_(transaction), tables_(tables) {}

  // What is known now of the cell's open components, in place of what was.
  void set_provisional(std::string_view cell_key, const std::vector<StoredConflict>& records);
  // The component has been folded: its record is final, and no provisional one of the same candidates stays.
  void finish(std::string_view cell_key, StoredConflict record);
  // Lets go of the oldest final ones beyond the bounds, some at a time.
  void drop_oldest(const ConflictBounds& bounds, int64_t now_ms);

 private:
  void put(const store::Table& table, char kind, std::string_view key, std::string_view row);
  void erase(const store::Table& table, char kind, std::string_view key);
  void mark(char kind, std::string_view key);

  store::WriteTransaction& transaction_;
  const ConflictTables& tables_;
};

}  // namespace quadrille::reconcile
