// What policies that read other cells have decided and what has not folded yet, and which cells still wait for such a
// decision. Written by replay (replay.h); read wherever a cell is evaluated.
//
// A component is known by its maximal versions: one that grows has others. What leaves a component is not maximal.
//
// Tables, in ids of this store:
//   "reconcile.outcomes": cell key (log/history_window.h) -> of each decided component: how many maximal versions,
//   their
//                         origin numbers and seqs, ascending; what was decided; why the policy failed, if it did.
//   "reconcile.awaiting": cell key -> nothing: a fallback decides there for now.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/store.h"
#include "log/cell.h"
#include "log/change_log.h"

namespace quadrille::reconcile {

struct ContextTables {
  store::Table outcomes;
  store::Table awaiting;
};
ContextTables open_context_tables(store::Store& store);

struct ContextOutcome {
  std::vector<log::ChangesetKey> maximal;  // ascending
  log::CellContent content;                // sorted
  std::string failure;                     // empty: the policy decided
};

// Reads of one transaction; both must outlive it. Throws StorageError (Corruption) for a row that is damaged.
class ContextOutcomes {
 public:
  ContextOutcomes(const store::ReadTransaction& reading, const ContextTables& tables)
      : reading_(reading), tables_(tables) {}

  std::vector<ContextOutcome> of(std::string_view cell_key) const;
  std::optional<ContextOutcome> find(std::string_view cell_key, const std::vector<log::ChangesetKey>& maximal) const;
  uint64_t awaiting_count() const { return reading_.row_count(tables_.awaiting); }

 private:
  const store::ReadTransaction& reading_;
  const ContextTables& tables_;
};

// In place of what was there.
void put_outcomes(store::WriteTransaction& writing, const ContextTables& tables, std::string_view cell_key,
                  const std::vector<ContextOutcome>& outcomes);
void set_awaiting(store::WriteTransaction& writing, const ContextTables& tables, std::string_view cell_key,
                  bool is_awaiting);

}  // namespace quadrille::reconcile
