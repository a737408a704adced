// A conflict record as the tables keep it: in ids of this store, so that deciding a conflict needs no text. What leaves
// the site, or is shown, is a ConflictRecord.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/model/quad_source.h"
#include "log/cell.h"
#include "log/log_state.h"
#include "reconcile/conflict_record.h"

namespace quadrille::reconcile {

struct StoredCandidate {
  log::OriginNumber origin = 0;
  uint64_t seq = 0;
  log::Stamp stamp;
  log::CellContent saw;
  log::CellContent left;

  friend bool operator==(const StoredCandidate&, const StoredCandidate&) = default;
};

struct StoredConflict {
  log::Stamp time;
  log::Cell cell;
  std::vector<StoredCandidate> candidates;
  log::CellContent chosen;
  std::string policy;
  std::string failure;
  std::string fallback;
  bool is_provisional = true;

  // Whether it is of the same component at the same size.
  bool has_same_candidates(const StoredConflict& other) const;
};

// Several, one after another. Reading throws StorageError (Corruption) for bytes that are none.
std::string encode(const std::vector<StoredConflict>& conflicts);
std::vector<StoredConflict> decode_conflicts(std::string_view bytes);

ConflictRecord to_record(const StoredConflict& conflict, const model::QuadSource& terms, const log::LogState& state);

}  // namespace quadrille::reconcile
